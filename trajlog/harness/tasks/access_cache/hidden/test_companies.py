from access.company import Company


def built(name, **groups):
    made = Company(name)
    for group, people in groups.items():
        made.directory.add_group(group, *people.split())
        made.folders.grant(f"/{group}", group, "write")
    return made


def test_answers_of_three_companies():
    companies = [built("a", x="ada ben"), built("b", x="ben", y="ada"), built("c", y="eve ada")]
    seen = [one.report(["ada", "ben"], path) for path in ("/x", "/y") for one in companies]
    assert seen == [
        {"ada": "write", "ben": "write"}, {"ada": "none", "ben": "write"}, {"ada": "none", "ben": "none"},
        {"ada": "none", "ben": "none"}, {"ada": "write", "ben": "none"}, {"ada": "write", "ben": "none"},
    ]
    assert [one.walks for one in companies] == [2, 2, 2]


def test_change_in_one_company_keeps_the_answers_of_the_other():
    first, second = built("a", x="ada"), built("b", x="ada ben")
    seen = [first.level("ada", "/x"), second.level("ada", "/x")]
    first.directory.leave("ada", "x")
    seen += [first.level("ada", "/x"), second.level("ada", "/x"), second.level("ben", "/x")]
    assert (seen, first.walks, second.walks) == (["write", "write", "none", "write", "write"], 2, 2)


def test_branches_with_one_name():
    first, second = built("shop", x="ada"), built("shop", x="ben", y="ada")
    seen = [[one.level(person, "/x") for person in ("ada", "ben")] for one in (first, second, first)]
    second.directory.join("ada", "x")
    seen.append([one.level("ada", "/x") for one in (first, second)])
    assert seen == [["write", "none"], ["none", "write"], ["write", "none"], ["write", "write"]]
    assert (first.walks, second.walks) == (2, 3)


def test_nested_and_removed_groups():
    first, second = built("a", x="ada", y="", z=""), built("b", x="ada", y="", z="")
    first.directory.nest("x", "y")
    first.directory.nest("y", "z")
    seen = [[one.level("ada", path) for path in ("/x", "/y", "/z")] for one in (first, second)]
    first.remove_group("y")
    seen += [[one.level("ada", path) for path in ("/x", "/y", "/z")] for one in (first, second)]
    assert seen == [
        ["write", "write", "write"], ["write", "none", "none"], ["write", "none", "none"], ["write", "none", "none"]
    ]
    assert (first.walks, second.walks) == (2, 1)


def test_companies_of_one_realm_and_of_two():
    first, second = Company("a", realm="r1"), Company("b", realm="r2")
    third = Company("c", realm="r1")
    for one, people in ((first, ["ada"]), (second, []), (third, ["ben"])):
        one.directory.add_group("g", *people)
        one.folders.grant("/", "g", "own")
    seen = [one.report(["ada", "ben"], "/f") for one in (first, second, third)]
    assert seen == [{"ada": "own", "ben": "none"}, {"ada": "none", "ben": "none"}, {"ada": "none", "ben": "own"}]
