"""Letters to parents."""

from report import Report

TEXT = "Dear parents of {pupil}, {lessons} lessons of {subject} were missed without leave."


def letters(form, register, until=None):
    """One letter for each pupil and subject that is over."""
    texts = []
    for row in Report(form, register, until).rows():
        for subject, left in row.left.items():
            if left < 0:
                texts.append(TEXT.format(pupil=row.pupil, subject=subject, lessons=-left))
    return texts
