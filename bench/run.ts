// `npm run bench` measures every figure, and its baseline or peer in the same run. `--short` only proves that the
// sections run. `--only=NAME` runs one section.
import { printRow, printTable, type Row } from './row.ts';
import { stopSharedService } from './service.ts';
import { shareServer, stopSharedServer } from './shared-postgres.ts';

const isShort = process.argv.includes('--short');
const onlySection = process.argv.find(arg => arg.startsWith('--only='))?.slice('--only='.length);

type Section = (isShort: boolean) => AsyncIterable<Row>;

// The modules of the sections are imported one at a time, because some load heavy peers.
const SECTIONS: Readonly<Record<string, () => Promise<Section>>> = {
  engine: async () => (await import('./engine.ts')).runEngineRows,
  components: async () => (await import('./rows/component.ts')).runComponentRows,
  code: async () => (await import('./rows/code.ts')).runCodeRows,
  start: async () => (await import('./rows/start.ts')).runStartRows,
  runs: async () => (await import('./rows/run.ts')).runRunRows,
  batches: async () => (await import('./rows/batch.ts')).runBatchRows,
  apps: async () => (await import('./rows/app.ts')).runAppRows,
  schedules: async () => (await import('./rows/schedule.ts')).runScheduleRows,
  hooks: async () => (await import('./rows/hook.ts')).runHookRows,
  waiting: async () => (await import('./rows/waiting.ts')).runWaitingRows,
  bounds: async () => (await import('./rows/bounds.ts')).runBoundsRows,
  attacks: async () => (await import('./rows/attack.ts')).runAttackRows,
  credentials: async () => (await import('./rows/credential.ts')).runCredentialRows,
  cancels: async () => (await import('./rows/cancel.ts')).runCancelRows,
  crashes: async () => (await import('./rows/crash.ts')).runCrashRows,
  workers: async () => (await import('./rows/worker.ts')).runWorkerRows,
  webhooks: async () => (await import('./rows/webhook.ts')).runWebhookRows,
  idle: async () => (await import('./rows/idle.ts')).runIdleRows,
  'sign-in': async () => (await import('./rows/sign-in.ts')).runSignInRows,
  'second-factor': async () => (await import('./rows/second-factor.ts')).runSecondFactorRows,
  reads: async () => (await import('./rows/read.ts')).runReadRows,
  lists: async () => (await import('./rows/list.ts')).runListRows,
  million: async () => (await import('./rows/million.ts')).runMillionRows,
  partitions: async () => (await import('./rows/partition.ts')).runPartitionRows,
  observation: async () => (await import('./rows/observation.ts')).runObservationRows,
  workflows: async () => (await import('./rows/workflow.ts')).runWorkflowRows,
  oauth: async () => (await import('./rows/oauth.ts')).runOAuthRows,
  lint: async () => (await import('./lint.ts')).runLintRows,
  models: async () => (await import('./rows/model.ts')).runModelRows,
  layout: async () => (await import('./layout.ts')).runLayoutRows,
  svg: async () => (await import('./rows/svg.ts')).runSvgRows,
  pages: async () => (await import('./rows/pages.ts')).runPagesRows,
  'first-hour': async () => (await import('./rows/first-hour.ts')).runFirstHourRows,
  editor: async () => (await import('./rows/editor.ts')).runEditorRows,
  board: async () => (await import('./rows/board.ts')).runBoardRows,
  picker: async () => (await import('./rows/picker.ts')).runPickerRows,
  stills: async () => (await import('./rows/still.ts')).runStillRows,
  render: async () => (await import('./rows/render.ts')).runRenderRows,
  local: async () => (await import('./rows/local.ts')).runLocalRows,
  media: async () => (await import('./rows/media.ts')).runMediaRows,
  backup: async () => (await import('./rows/backup.ts')).runBackupRows,
  audit: async () => (await import('./rows/audit.ts')).runAuditRows,
  mcp: async () => (await import('./rows/mcp.ts')).runMcpRows,
};

if (onlySection !== undefined && SECTIONS[onlySection] === undefined) {
  process.stderr.write(`Unknown section ${onlySection}. Sections: ${Object.keys(SECTIONS).join(', ')}.\n`);
  process.exit(2);
}
process.stdout.write(
  'Rate limits and MAX_CONCURRENT_RUNS are raised by settings (PLANS_FILE); nothing else is bypassed.\n',
);
process.stdout.write(
  'Load generator, service and PostgreSQL share this machine; read ratios, not absolutes.\n\n',
);
const rows: Row[] = [];
/** Sections that `--short` skips unless requested by name: boards take a minute, and tests cover crashes. */
const LONG_SECTIONS: ReadonlySet<string> = new Set(['board', 'crashes']);
/** Measurements run one at a time. Short sections, which mostly wait for a service to start, run concurrently. */
const CONCURRENCY = isShort ? 4 : 1;
/** The longest short section takes about a minute beside three others. */
const MAX_SHORT_MS = 5 * 60_000;

const remainingSections = Object.keys(SECTIONS).filter(name =>
  onlySection === undefined ? !(isShort && LONG_SECTIONS.has(name)) : onlySection === name,
);

async function runSections(): Promise<void> {
  for (let name = remainingSections.shift(); name !== undefined; name = remainingSections.shift()) {
    // A short section takes seconds, so that one which takes minutes waits for what does not come.
    const timer = isShort ? setTimeout(failLate, MAX_SHORT_MS, name) : undefined;
    await runSection(name);
    clearTimeout(timer);
  }
}

async function runSection(name: string): Promise<void> {
  const section = await SECTIONS[name]?.();
  for await (const row of section?.(isShort) ?? []) {
    rows.push(row);
    printRow(row);
  }
}

function failLate(name: string): never {
  process.stderr.write(`The section ${name} did not end within ${MAX_SHORT_MS / 60_000} minutes.\n`);
  process.exit(1);
}

// Each service adds an exit listener.
process.setMaxListeners(100);
if (isShort) shareServer();
await Promise.all(Array.from({ length: CONCURRENCY }, runSections));
await stopSharedService();
await stopSharedServer();
printTable(rows);
