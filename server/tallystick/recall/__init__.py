"""Recall: pure functions over candidates.

Nothing here reads a clock, a database or a file. The store finds candidates, a handler gathers them, and these
functions decide what is shown, in which order, and how much of it:

    topics      one question into focused searches, and their results into one list
    ranking     lexical and vector candidates into one order, and a confidence
    excerpt     a text shortened on a word
    budget      as many whole items as a token budget holds
    cursor      where a page ended, sealed
    persona     which persona a question is for
"""
