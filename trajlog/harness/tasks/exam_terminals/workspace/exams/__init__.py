from exams.exam import Exam, ExamError
from exams.hooks import Hook
from exams.recorder import Recorder
from exams.terminal import Terminal

__all__ = ["Exam", "ExamError", "Hook", "Recorder", "Terminal"]
