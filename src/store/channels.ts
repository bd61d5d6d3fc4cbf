// Defines the channels of PostgreSQL's NOTIFY, by which processes wake each other. Notifications are hints: the tables
// hold the facts, which are found later without them.

export const CHANNELS = {
  /** Execution ids, comma-separated: subscribed runs that have changed. */
  changed: 'graphwright_runs',
  /** Execution ids, comma-separated: runs to be cancelled. */
  cancel: 'graphwright_cancel',
  /** Execution ids, comma-separated: runs in a worker's memory for which provider tasks have ended. */
  woken: 'graphwright_woken',
  /** A workflow id: it changed, or its subscribers did. */
  workflows: 'graphwright_workflows',
  /** Provider names, comma-separated: each accepts fewer concurrent calls than was known. */
  limits: 'graphwright_limits',
  /** Empty: the operator's models have changed. */
  models: 'graphwright_models',
} as const;
