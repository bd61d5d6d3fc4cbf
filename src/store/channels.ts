// The channels of PostgreSQL's NOTIFY: how one process wakes another. Each notification is a hint; what it speaks of is
// in the tables, and is found there without it, only later.

export const CHANNELS = {
  /** Execution ids, comma-separated: subscribed runs that have changed. */
  changed: 'graphwright_runs',
  /** An execution id: a run that is to be cancelled. */
  cancel: 'graphwright_cancel',
  /** `<worker> <execution>,<execution>…`: runs assigned to a worker of another process. */
  assigned: 'graphwright_given',
} as const;
