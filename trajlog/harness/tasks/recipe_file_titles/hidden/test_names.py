from box import Box, title_of


def test_letters_of_prefix_and_ending_stay():
    names = ["draft-tart.recipe", "farfalle.recipe", "draft-raft-cake.recipe", "coffee-ice.recipe", "pepper.recipe"]
    assert [title_of(name) for name in names] == ['Tart', 'Farfalle', 'Raft Cake', 'Coffee Ice', 'Pepper']


def test_similar_parts_inside_stay():
    names = ["my.recipe-book.recipe", "second-draft-pie.recipe", "draft-draft-beer.recipe", "x.recipe.recipe"]
    assert [title_of(name) for name in names] == ['My.recipe Book', 'Second Draft Pie', 'Draft Beer', 'X.recipe']


def test_two_files_two_titles():
    box = Box(["rice.recipe", "rip.recipe", "ri.recipe", "draft-dr.recipe"])
    assert [box.filename(title) for title in box.titles()] == [
        'draft-dr.recipe', 'ri.recipe', 'rice.recipe', 'rip.recipe',
    ]
