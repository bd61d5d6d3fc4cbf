// `npm run demo` shows the main use case end to end: starts the service in a new folder, stores and runs
// examples/postcard.json, verifies the signed webhook with a third-party library, and saves the image. Then models of this
// machine enlarge the image and read its text, with examples/read-postcard.json.
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Client, createServiceClient } from '../src/cli/client.ts';
import { followRun } from '../src/cli/terminal/follow.ts';
import { formatMs } from '../src/cli/terminal/progress.ts';
import { drawTable, type Execution } from '../src/cli/terminal/run-view.ts';
import { openTerminal } from '../src/cli/terminal/terminal.ts';
import { readWorkflowFile } from '../src/cli/workflow-file.ts';
import { readSettings } from '../src/lib/settings.ts';
import { listMissing } from '../src/local/packages.ts';
import { startService } from './demo-service.ts';
import { startReceiver } from './demo-webhook.ts';

const ROOT = dirname(import.meta.dirname);
const EXAMPLE = join(ROOT, 'examples', 'postcard.json');
const LOCAL_EXAMPLE = join(ROOT, 'examples', 'read-postcard.json');
const OUTPUT = join(ROOT, 'demo-output');
const WEBHOOK_TIMEOUT_MS = 15_000;
const DOWNLOAD_TIMEOUT_MS = 10_000;

const terminal = openTerminal();
const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupt.abort(new Error('Interrupted.')));

const printStep = (text: string, detail: string): void =>
  terminal.print(`${terminal.paint('green', '✔')} ${text}  ${terminal.paint('dim', detail)}`);

try {
  await demonstrate(interrupt.signal);
} catch (thrown) {
  terminal.erase();
  terminal.note(`The demo failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  process.exitCode = 1;
}

async function demonstrate(signal: AbortSignal): Promise<void> {
  terminal.print(
    `${terminal.paint('bold', 'Graphwright')}  text → prompt → picture → postcard, then a signed webhook and models of this machine\n`,
  );
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT, { recursive: true });
  const startedMs = performance.now();
  const apiKey = `sk-${randomBytes(32).toString('hex')}`;
  await using service = await startService({ folder: OUTPUT, apiKey, signal });
  printStep(
    'Service and its PostgreSQL are ready',
    `${formatMs(performance.now() - startedMs)}  ${service.url}`,
  );

  const client = createServiceClient(
    readSettings({ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: apiKey }),
    signal,
  );
  const secret = randomBytes(32).toString('hex');
  await using receiver = await startReceiver(secret);
  const execution = await runExample(client, { url: receiver.url, secret });
  if (!terminal.isLive) terminal.print('');
  for (const line of drawTable(execution, terminal)) terminal.print(line);
  terminal.print('');
  if (execution.status !== 'COMPLETED')
    throw new Error(`the run ended as ${execution.status}: ${execution.error?.message ?? 'no reason given'}`);

  const delivery = await receiver.waitForDelivery(
    AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)]),
  );
  if (delivery.executionId !== execution.id) throw new Error('the webhook is about another execution');
  printStep(`Webhook ${delivery.event} arrived`, 'signature verified by @octokit/webhooks-methods');
  await saveImage(execution, 'postcard.png', signal);
  await runLocalModels(client, execution, signal);
}

/** Enlarges the postcard and reads its text, if the packages of local nodes are installed. */
async function runLocalModels(client: Client, { outputs }: Execution, signal: AbortSignal): Promise<void> {
  const picture = outputs.find(({ type }) => type === 'IMAGE');
  const missing = [...new Set([...listMissing('upscale'), ...listMissing('ocr')])];
  if (missing.length > 0)
    return terminal.note(`Packages of local nodes are not installed: ${missing.join(', ')}.`);
  const example = await readWorkflowFile(LOCAL_EXAMPLE);
  const { id } = await client.post<{ id: string }>('/workflows', example);
  terminal.print('');
  const execution = await followRun(
    await client.run(id, { inputs: { picture: { url: picture?.url } } }),
    terminal,
  );
  if (execution.status !== 'COMPLETED')
    throw new Error(`models of this machine: ${execution.error?.message ?? execution.status}`);
  await saveImage(execution, 'postcard-large.png', signal);
  const text = execution.outputs.find(({ type }) => type === 'TEXT')?.text ?? '';
  printStep('A model of this machine read the postcard', text.split('\n')[0] ?? '');
}

async function runExample(
  client: Client,
  webhook: { readonly url: string; readonly secret: string },
): Promise<Execution> {
  const example = await readWorkflowFile(EXAMPLE);
  const { id } = await client.post<{ id: string }>('/workflows', example);
  printStep(
    `Stored ${relative(process.cwd(), EXAMPLE)}`,
    `${id}  ${example.nodes.length} nodes, ${example.edges.length} edges`,
  );
  const run = await client.run(id, {
    webhook,
    metadata: { from: 'demo' },
  });
  printStep('Run accepted', run.id);
  terminal.print('');
  return followRun(run, terminal);
}

async function saveImage(execution: Execution, name: string, signal: AbortSignal): Promise<void> {
  const url = execution.outputs.find(output => output.type === 'IMAGE')?.url;
  if (url === undefined) throw new Error('the run produced no picture');
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]),
  });
  if (!response.ok) throw new Error(`the image's URL responded with ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const path = join(OUTPUT, name);
  await writeFile(path, bytes);
  printStep(
    `Image saved to ${terminal.paint('bold', relative(process.cwd(), path))}`,
    `${Math.ceil(bytes.length / 1024)} KB`,
  );
}
