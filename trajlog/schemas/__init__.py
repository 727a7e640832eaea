"""Event kinds, their Arrow schemas, and the one encoder and decoder. Imports nothing of ours but errors."""

from trajlog.schemas.base import Event, Producer, arrow_schema, new_id
from trajlog.schemas.codec import EventBatch, decode, encode
from trajlog.schemas.episode_assigned import EpisodeAssigned
from trajlog.schemas.episode_finished import EpisodeFinished
from trajlog.schemas.episode_started import EpisodeStarted
from trajlog.schemas.episode_verdict import EpisodeVerdict
from trajlog.schemas.epochs import LearnerStarted, SchedulerStarted
from trajlog.schemas.generation import Generation, VersionRun, token_digest
from trajlog.schemas.group_sealed import Chain, GroupSealed, Member, TurnRouting, TurnSpan, chains_digest
from trajlog.schemas.group_verdict import GroupVerdict
from trajlog.schemas.heartbeat import FinishedEpisode, Heartbeat
from trajlog.schemas.observation import Observation
from trajlog.schemas.policy import PolicyAcknowledged, PolicyPublished
from trajlog.schemas.record import Headers, NewRecord
from trajlog.schemas.run_started import RunStarted
from trajlog.schemas.schema_registered import SchemaRegistered
from trajlog.schemas.tool_call import ToolCall
from trajlog.schemas.train_step import RejectedGroup, TrainStep
from trajlog.schemas.union import KINDS, event_columns

__all__ = [
    "KINDS",
    "Chain",
    "EpisodeAssigned",
    "EpisodeFinished",
    "EpisodeStarted",
    "EpisodeVerdict",
    "Event",
    "EventBatch",
    "FinishedEpisode",
    "Generation",
    "GroupSealed",
    "GroupVerdict",
    "Headers",
    "Heartbeat",
    "LearnerStarted",
    "Member",
    "NewRecord",
    "Observation",
    "PolicyAcknowledged",
    "PolicyPublished",
    "Producer",
    "RejectedGroup",
    "RunStarted",
    "SchedulerStarted",
    "SchemaRegistered",
    "ToolCall",
    "TrainStep",
    "TurnRouting",
    "TurnSpan",
    "VersionRun",
    "arrow_schema",
    "chains_digest",
    "decode",
    "encode",
    "event_columns",
    "new_id",
    "token_digest",
]
