// npm run bench: every figure that is claimed, against the limit or peer measured in the same run.
// `--short` only proves that rows run; `--only=NAME` measures one section.
import { printRow, printTable, type Row } from './row.ts';

const isShort = process.argv.includes('--short');
const only = process.argv.find(arg => arg.startsWith('--only='))?.slice('--only='.length);

type Section = (isShort: boolean) => AsyncIterable<Row>;

// Imported one by one: some bring heavy peers along.
const SECTIONS: Readonly<Record<string, () => Promise<Section>>> = {
  engine: async () => (await import('./engine-rows.ts')).runEngineRows,
  start: async () => (await import('./start-rows.ts')).runStartRows,
  runs: async () => (await import('./run-rows.ts')).runRunRows,
  waiting: async () => (await import('./waiting-rows.ts')).runWaitingRows,
  cancels: async () => (await import('./cancel-rows.ts')).runCancelRows,
  crashes: async () => (await import('./crash-rows.ts')).runCrashRows,
  workers: async () => (await import('./worker-rows.ts')).runWorkerRows,
  webhooks: async () => (await import('./webhook-rows.ts')).runWebhookRows,
  idle: async () => (await import('./idle-rows.ts')).runIdleRows,
  'sign-in': async () => (await import('./sign-in-rows.ts')).runSignInRows,
  reads: async () => (await import('./read-rows.ts')).runReadRows,
  lists: async () => (await import('./list-rows.ts')).runListRows,
  million: async () => (await import('./million-rows.ts')).runMillionRows,
  partitions: async () => (await import('./partition-rows.ts')).runPartitionRows,
  observation: async () => (await import('./observation-rows.ts')).runObservationRows,
  workflows: async () => (await import('./workflow-rows.ts')).runWorkflowRows,
  oauth: async () => (await import('./oauth-rows.ts')).runOAuthRows,
  lint: async () => (await import('./lint.ts')).runLintRows,
  models: async () => (await import('./model-rows.ts')).runModelRows,
  layout: async () => (await import('./layout.ts')).runLayoutRows,
  svg: async () => (await import('./svg-rows.ts')).runSvgRows,
  pages: async () => (await import('./pages-rows.ts')).runPagesRows,
  editor: async () => (await import('./editor-rows.ts')).runEditorRows,
  board: async () => (await import('./board-rows.ts')).runBoardRows,
  stills: async () => (await import('./still-rows.ts')).runStillRows,
  render: async () => (await import('./render-rows.ts')).runRenderRows,
  media: async () => (await import('./media-rows.ts')).runMediaRows,
  backup: async () => (await import('./backup-rows.ts')).runBackupRows,
  mcp: async () => (await import('./mcp-rows.ts')).runMcpRows,
};

if (only !== undefined && SECTIONS[only] === undefined) {
  process.stderr.write(`There is no section ${only}; there are ${Object.keys(SECTIONS).join(', ')}.\n`);
  process.exit(2);
}
process.stdout.write(
  'Rate limits and MAX_CONCURRENT_RUNS are raised by settings (PLANS_FILE); nothing else is bypassed.\n',
);
process.stdout.write(
  'Load generator, service and PostgreSQL share this machine; read ratios, not absolutes.\n\n',
);
const rows: Row[] = [];
/** Left out of `--short` where they are not asked for by name: a bare board takes a minute, and tests kill services too. */
const LONG: ReadonlySet<string> = new Set(['board', 'crashes']);
/** What measures has the machine for itself; what only runs mostly waits for a service to start. */
const AT_ONCE = isShort ? 3 : 1;

const left = Object.keys(SECTIONS).filter(name =>
  only === undefined ? !(isShort && LONG.has(name)) : only === name,
);

async function runSections(): Promise<void> {
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const section = await SECTIONS[name]?.();
    for await (const row of section?.(isShort) ?? []) {
      rows.push(row);
      printRow(row);
    }
  }
}

// Each service has a listener of its own.
process.setMaxListeners(100);
await Promise.all(Array.from({ length: AT_ONCE }, runSections));
printTable(rows);
