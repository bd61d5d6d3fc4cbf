// Starts the service from its settings. PostgreSQL is opened while the rest of the program is loaded.
import type { EditorFiles } from './bundle/editor-files.ts';
import { migrateAll, openDatabases } from './databases.ts';
import { openDataFolder } from './lib/data-folder.ts';
import { createLogger, type Logger } from './lib/log.ts';
import type { Settings } from './lib/settings.ts';
import type { Tracer } from './lib/span.ts';
import { divideTiming, TIMING, type Timing } from './lib/timing.ts';
import { readVersion } from './lib/version.ts';
import type { StartedService } from './service.ts';
import { createAuditPartitions } from './store/audit/partitions.ts';
import type { Db } from './store/db.ts';
import { choosePartitionDays, createStepPartitions } from './store/retention/step-partitions.ts';

export interface Service extends StartedService {
  /** Waits for active requests and runs, then stops. The embedded PostgreSQL stops last. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly log?: Logger;
  /** If absent, the durations in production, divided by TIMING_DIVISOR. */
  readonly timing?: Timing;
  /** The files of the web application, which several services may share. If absent, those in EDITOR_DIR. */
  readonly editor?: EditorFiles;
  /** Called if the service cannot continue, for example because PostgreSQL stopped permanently. */
  readonly onFatal?: (err: Error) => void;
}

/** Starts the parts that ROLE selects. If a part fails, stops the other parts and throws an error that says what to do. */
export async function startService(settings: Settings, options: StartOptions = {}): Promise<Service> {
  const log = options.log ?? createLogger(settings.LOG_LEVEL);
  const timing = options.timing ?? divideTiming(TIMING, settings.TIMING_DIVISOR);
  await using stack = new AsyncDisposableStack();
  await openDataFolder(settings.DATA_DIR);
  const tracer = await openTracer(settings, timing, log, stack);
  // Loading blocks this process, so it begins after the PostgreSQL process has been started.
  const load = (): Promise<typeof import('./service.ts')> => import('./service.ts');
  const onDatabaseStarting = (): void => void load().catch(() => undefined);
  const databases = await openDatabases(
    settings,
    log,
    { onFatal: options.onFatal, onDatabaseStarting },
    stack,
  );
  const { startParts } = await load();
  await migrateAll(databases.direct, log);
  await createPartitions(databases.direct, settings, log);
  const started = await startParts(
    { settings, timing, log, tracer, databases, editor: options.editor },
    stack,
  );
  const running = stack.move();
  return { ...started, close: () => running.disposeAsync() };
}

/** Loads the OpenTelemetry SDK only if a collector is configured. */
async function openTracer(
  settings: Settings,
  { tracerCloseMs: closeMs }: Timing,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<Tracer | undefined> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const { createTracer } = await import('./telemetry/otel.ts');
  const tracer = createTracer({
    settings,
    log: log.child({ part: 'traces' }),
    version: readVersion(),
    closeMs,
  });
  stack.defer(() => tracer.close());
  return tracer;
}

/**
 * Creates the partitions of the next days. If this fails, the service still starts: rows without a partition are stored
 * in the default partition until the nightly sweep.
 */
async function createPartitions(db: Db, { KEEP_EXECUTIONS_DAYS }: Settings, log: Logger): Promise<void> {
  const warn = (err: unknown): void =>
    log.warn({ err }, 'the partitions of the next days could not be created; the nightly sweep tries again');
  await createStepPartitions(db, Date.now(), choosePartitionDays(KEEP_EXECUTIONS_DAYS)).catch(warn);
  await createAuditPartitions(db, Date.now()).catch(warn);
}
