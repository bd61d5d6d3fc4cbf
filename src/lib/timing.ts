// Defines the intervals, leases, delays and cache lifetimes of the service, in milliseconds. Tests divide them.
// The time limits of requests, statements and child processes are defined where they are used.

interface Duration {
  readonly ms: number;
  /** The shortest value that `divideTiming` returns. */
  readonly minMs: number;
}

const DURATIONS = {
  // Workers and the job queue. A machine that is busy with tests stalls a process for about a second. `takeoverMs -
  // heartbeatMs` must be longer, so that healthy workers keep their runs.
  /** The interval between heartbeats of a worker. */
  heartbeatMs: { ms: 5000, minMs: 1000 },
  /** A worker with an older heartbeat counts as dead, and other workers claim its runs. */
  takeoverMs: { ms: 20_000, minMs: 4000 },
  /** The interval at which job pools poll the queue, in case a notification was lost. */
  queuePollMs: { ms: 4000, minMs: 2000 },
  /** The delay before a failed job pool is restarted. */
  poolRestartMs: { ms: 500, minMs: 20 },
  /** How long a failed job pool may take to stop. */
  poolGraceMs: { ms: 2000, minMs: 200 },
  /** How long the pool for renders ignores notifications after it found no job. */
  renderRefetchMs: { ms: 1000, minMs: 50 },
  /** How long active runs may take to end when the service stops. After that, they return to the queue. */
  drainMs: { ms: 10_000, minMs: 1000 },

  // Provider calls.
  /** The shortest delay before a call is polled for the first time. */
  firstCallPollMs: { ms: 1000, minMs: 50 },
  /** The shortest delay between polls of a call. */
  minCallPollMs: { ms: 1000, minMs: 250 },
  /** The shortest delay between polls of a call to ComfyUI. */
  minComfyPollMs: { ms: 200, minMs: 50 },
  /** The longest delay between polls of a call whose end may be near. */
  maxCallPollMs: { ms: 15_000, minMs: 3000 },
  /** The longest delay between polls of a call whose expected end is far away. */
  maxFarCallPollMs: { ms: 60_000, minMs: 12_000 },
  /** The shortest interval at which a poller reads the table of calls. */
  callTickMs: { ms: 100, minMs: 50 },
  /** The interval at which a poller reads the table of calls while no call is due. */
  callReadMs: { ms: 1000, minMs: 500 },
  /** The interval at which a poller reads the table of calls for a provider that is not configured. */
  unconfiguredCallReadMs: { ms: 30_000, minMs: 10_000 },
  /** The time limit of a poll. Then the call is polled again. */
  callPollTimeoutMs: { ms: 10_000, minMs: 2000 },
  /** The interval at which the progress of followed calls is stored. */
  progressSaveMs: { ms: 1000, minMs: 50 },
  /** The interval at which a process confirms that it follows a call. After 30 s, another process may follow it. */
  progressLeaseMs: { ms: 10_000, minMs: 500 },
  /** How long a call is only polled after its WebSocket has failed. */
  followRetryMs: { ms: 30_000, minMs: 1000 },
  /** How long a poller pauses after a provider rejected a poll by its rate limit. */
  rateLimitPauseMs: { ms: 2000, minMs: 100 },
  /** The interval at which the limits and durations that other processes recorded are read. */
  trafficReadMs: { ms: 60_000, minMs: 10_000 },

  // Servers of ComfyUI.
  /** The interval between checks of a server. */
  serverCheckMs: { ms: 5000, minMs: 250 },
  /** The time limit of a request of a check. */
  serverTimeoutMs: { ms: 10_000, minMs: 2000 },
  /** A server that does not answer for this time is down, and its calls move to other servers. */
  serverDownMs: { ms: 30_000, minMs: 1500 },
  /** The interval at which the node types and model files of a server are read. */
  serverFactsMs: { ms: 600_000, minMs: 5000 },
  /** The delay before they are read again after a failure. */
  serverFactsRetryMs: { ms: 60_000, minMs: 1000 },
  /** The longest interval at which a worker looks for servers to check. */
  serverReadMs: { ms: 1000, minMs: 200 },

  // Streams and other responses that follow changes. Notifications trigger them; the polls find lost notifications.
  /** The interval at which a followed run is polled. */
  runPollMs: { ms: 1000, minMs: 500 },
  /** The interval at which a followed batch or run of an app is polled. */
  recordPollMs: { ms: 1000, minMs: 500 },
  /** The pause in which changes of a followed batch or run of an app are collected. */
  recordPauseMs: { ms: 200, minMs: 20 },
  /** The interval at which a stream reads the changes and viewers of a workflow. A viewer is gone after three intervals. */
  presencePollMs: { ms: 15_000, minMs: 5000 },
  /** The interval at which a stream reads new notices. */
  noticesPollMs: { ms: 15_000, minMs: 5000 },
  /** The interval at which a process checks whether the models have changed. */
  modelsPollMs: { ms: 5000, minMs: 2500 },
  /** How long the catalog caches the durations of models. */
  modelSecondsMs: { ms: 60_000, minMs: 500 },
  /** The interval of the comments that keep an idle stream open. */
  keepAliveMs: { ms: 15_000, minMs: 15_000 },
  /** The interval at which a waiting call over MCP reports progress, in whole seconds that increase. */
  progressReportMs: { ms: 5000, minMs: 1000 },
  /**
   * The interval at which a stream checks whether its caller may still read it. With the time that credentials are cached, less than five
   * seconds.
   */
  accessCheckMs: { ms: 2000, minMs: 1000 },

  // Accounts.
  /** How long credentials are cached. Every process rejects a revoked credential within this time. */
  credentialCacheMs: { ms: 2500, minMs: 500 },

  // Automation.
  /** The longest sleep of the clock of schedules. A changed schedule ends the sleep earlier. */
  maxClockSleepMs: { ms: 15_000, minMs: 5000 },
  /** The sleep of the clock of schedules after a database error. */
  clockErrorMs: { ms: 1000, minMs: 50 },
  /** The time after which another process may start a firing that its process claimed and did not start. */
  firingRetryMs: { ms: 5000, minMs: 2000 },
  /** The time after which the run of a claimed row of a batch is started again if it was not accepted. */
  rowOverdueMs: { ms: 5000, minMs: 2000 },
  /** How long a batch stays reserved while its rows are stored. Each part of the rows renews the reservation. */
  batchDraftMs: { ms: 60_000, minMs: 10_000 },
  /** The delay before a batch without a free slot is advanced again. */
  batchRetryMs: { ms: 1000, minMs: 50 },
  /** The delay before a job starts the run of a hook whose process died. */
  hookRescueMs: { ms: 5000, minMs: 2000 },
  /** The interval at which the inbox of a trigger is polled. */
  inboxPollMs: { ms: 10_000, minMs: 500 },

  // Webhooks.
  /** How long a delivery or poll waits for a free slot of its host and account before it is postponed. */
  outboundSlotMs: { ms: 500, minMs: 25 },
  /** The shortest delay of a postponed delivery or poll. */
  minPostponeMs: { ms: 1000, minMs: 50 },
  /** The longest delay of a postponed delivery or poll. */
  maxPostponeMs: { ms: 300_000, minMs: 15_000 },

  // Mails.
  /** The delay before the second attempt to send a mail, and before the first mail after an outage of the mail server. */
  mailRetryMs: { ms: 15_000, minMs: 100 },
  /** The longest delay between attempts while the mail server is not available. */
  maxMailOutageMs: { ms: 300_000, minMs: 2000 },
  /** A process that handed over a mail has recorded the answer of the server within this time, or lost it. */
  mailAnswerMs: { ms: 180_000, minMs: 5000 },

  // Servers.
  /** The time over which the pace of a sender is measured that holds a place for which others wait. */
  senderPaceMs: { ms: 5000, minMs: 1000 },
  /** The delay before a lost connection for notifications is opened again. */
  relistenMs: { ms: 500, minMs: 25 },
  /** How long a process that stops may take to send its last spans to the collector. */
  tracerCloseMs: { ms: 2000, minMs: 2000 },
} as const satisfies Record<string, Duration>;

/** The durations of the service in milliseconds. */
export type Timing = { readonly [K in keyof typeof DURATIONS]: number };

/** The durations in production. */
export const TIMING = Object.fromEntries(
  Object.entries(DURATIONS).map(([name, { ms }]) => [name, ms]),
) as Timing;

/**
 * Divides each duration, so that a test that waits for it ends sooner. Each has a minimum: a lease must be longer than a
 * stall of a busy machine, and a poll for which no test waits must not load the machine. With a divisor of 20, an idle
 * service uses 1% of a processor core instead of 0.8%.
 */
export function divideTiming(timing: Timing, divisor: number): Timing {
  const entries = Object.entries(DURATIONS).map(([name, { minMs }]) => {
    const ms = timing[name as keyof Timing];
    return [name, Math.min(ms, Math.max(ms / divisor, minMs))];
  });
  return Object.fromEntries(entries) as Timing;
}
