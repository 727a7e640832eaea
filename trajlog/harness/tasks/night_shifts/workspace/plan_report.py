"""Report on a plan: plan_report.py [--zone NAME] [--zones FILE] [--rate CENTS] PLAN"""

import argparse
import sys

from shifts.pay import by_person, pay
from shifts.plan import Plan, PlanError
from shifts.rules import problems
from shifts.spans import show_minutes
from shifts.zone import ZoneError, load_zone


def report(plan, rate):
    yield from map(plan.show, plan.shifts)
    for person, hours in by_person(plan).items():
        amount = pay(hours, rate)
        times = f"{show_minutes(hours.minutes):>6} ({show_minutes(hours.night)} at night)"
        yield f"{person:<5}{times} {amount / 100:.2f}"
    for problem in problems(plan):
        yield f"! {problem}"


def main(argv, out=sys.stdout):
    parser = argparse.ArgumentParser(prog="plan_report")
    parser.add_argument("plan")
    parser.add_argument("--zone", default="Berlin")
    parser.add_argument("--zones", default="zones.json")
    parser.add_argument("--rate", type=int, default=2000)
    args = parser.parse_args(argv)
    try:
        zone = load_zone(args.zones, args.zone)
        with open(args.plan, encoding="utf-8") as file:
            plan = Plan(file, zone)
    except (PlanError, ZoneError) as problem:
        print(f"error: {problem.args[0]}", file=out)
        return 2
    for line in report(plan, args.rate):
        print(line, file=out)
    return 1 if problems(plan) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
