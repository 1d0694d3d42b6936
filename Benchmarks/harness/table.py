"""Medians, budgets and the Markdown table."""

import statistics


class Line:
    """A row with what was measured for it."""

    def __init__(self, row, rounds):
        # Of each round's own ratio, not the ratio of medians: a round shares its disturbances.
        self.row = row
        self.value = statistics.median(row.figure(answers) for answers in rounds)
        digits = 2 if row.shown_unit == "s" else 1
        self.shown = [
            f"{name} {statistics.median(answers[name][row.shown] for answers in rounds):.{digits}f} {row.shown_unit}"
            for name in row.shows
        ]

    @property
    def budget(self):
        row = self.row
        if row.most is not None:
            return f"≤ {row.most:g}{row.unit}"
        return f"≥ {row.least:g}{row.unit}" if row.least is not None else ""

    @property
    def verdict(self):
        row = self.row
        if row.most is not None:
            return "ok" if self.value <= row.most else "over"
        if row.least is not None:
            return "ok" if self.value >= row.least else "over"
        return ""

    def markdown(self):
        figure = f"{self.value:.{self.row.digits}f}{self.row.unit}"
        return f"| {self.row.title} | {', '.join(self.shown)} | {figure} | {self.budget} | {self.verdict} |"


def markdown(lines):
    head = ["| what | medians | figure | budget | |", "| --- | --- | --- | --- | --- |"]
    return "\n".join(head + [line.markdown() for line in lines])
