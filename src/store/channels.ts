// The channels of PostgreSQL's NOTIFY: how one process wakes another. Each notification is a hint; what it speaks of is
// in the tables, and is found there without it, only later.

export const CHANNELS = {
  /** Execution ids, comma-separated: subscribed runs that have changed. */
  changed: 'graphwright_runs',
  /** Execution ids, comma-separated: runs that are to be cancelled. */
  cancel: 'graphwright_cancel',
  /** Execution ids, comma-separated: runs that a worker executes, of whose calls at providers some have ended. */
  woken: 'graphwright_woken',
  /** A workflow's id: it changed, or somebody follows it or no longer does. */
  workflows: 'graphwright_workflows',
  /** Providers, comma-separated: each takes fewer calls at once than was known. */
  limits: 'graphwright_limits',
  /** Empty: the operator's models have changed. */
  models: 'graphwright_models',
} as const;
