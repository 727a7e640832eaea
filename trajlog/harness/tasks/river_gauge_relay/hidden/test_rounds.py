from rivers.board import board, day_file, day_summary, outlook
from rivers.gauges import read_gauges
from rivers.watch import Watch

GAUGES = read_gauges("""
[lock]
river = Aare
alarm = 300
[port]
river = Aare
alarm = 180
slack = 5
""")


def test_alarm_and_all_clear_in_one_round():
    watch = Watch(GAUGES)
    watch.report("lock", "01:00 290", "01:10 305", "01:20 295", "01:30 280", "01:40 310")
    assert watch.round() == 5
    assert watch.siren.sent == [
        '01:10 lock ALARM at 305 cm', '01:30 lock all clear at 280 cm', '01:40 lock ALARM at 310 cm',
    ]
    assert (watch.book.levels("lock"), day_summary(GAUGES, watch), watch.alarms.active()) == (
        [290, 305, 295, 280, 310], {'lock': (5, 296.0, '01:40')}, ['lock'],
    )


def test_rounds_count_each_reading_once():
    watch = Watch(GAUGES)
    handled = []
    for number, level in enumerate((170, 181, 178, 174, 190, 160)):
        watch.report("port", f"02:{10 * number:02} {level}")
        handled.append(watch.round())
    handled.append(watch.round())
    assert (handled, watch.book.levels("port"), len(watch.siren.sent)) == (
        [1, 1, 1, 1, 1, 1, 0], [170, 181, 178, 174, 190, 160], 4,
    )


def test_file_of_the_day():
    watch = Watch(GAUGES)
    watch.report("port", "05:00 170", "05:30 182", "06:00 170")
    watch.report("lock", "05:00 280", "05:20 300", "05:40 320")
    watch.round()
    assert day_file(GAUGES, watch).splitlines() == [
        'gauge,river,time,level,alarm',
        'lock,Aare,05:00,280,',
        'lock,Aare,05:20,300,x',
        'lock,Aare,05:40,320,x',
        'port,Aare,05:00,170,',
        'port,Aare,05:30,182,x',
        'port,Aare,06:00,170,',
    ]
    assert outlook(GAUGES, watch, 30) == ['lock: alarm level in 0 min, 350 cm in 30 min']


def test_siren_offline_holds_back_one_gauge():
    watch = Watch(GAUGES)
    watch.siren.is_online = False
    watch.report("lock", "03:00 299", "03:10 300", "03:20 320")
    watch.report("port", "03:05 100", "03:15 110")
    assert [watch.round(), watch.round()] == [3, 0]
    assert board(GAUGES, watch) == ['AARE', 'lock: 299 = 03:00', 'port: 110 + 03:15', '(2 waiting)']
    watch.siren.is_online = True
    watch.report("lock", "03:30 250")
    assert (watch.round(), watch.siren.sent) == (3, ['03:10 lock ALARM at 300 cm', '03:30 lock all clear at 250 cm'])
    assert day_summary(GAUGES, watch) == {'lock': (4, 292.2, '03:20'), 'port': (2, 105.0, '03:15')}


def test_all_clear_that_could_not_be_sent():
    watch = Watch(GAUGES)
    watch.report("port", "04:00 200")
    watch.round()
    watch.siren.is_online = False
    watch.report("port", "04:10 178", "04:20 150", "04:30 199")
    seen = [watch.round(), watch.round(), watch.alarms.active(), watch.book.levels("port")]
    assert seen == [1, 0, ['port'], [200, 178]]
    watch.siren.is_online = True
    watch.round()
    assert (watch.siren.sent, watch.book.levels("port"), watch.relay.num_waiting) == (
        ['04:00 port ALARM at 200 cm', '04:20 port all clear at 150 cm', '04:30 port ALARM at 199 cm'],
        [200, 178, 150, 199],
        0,
    )
