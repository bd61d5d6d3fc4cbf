// `graphwright import`: creates a workflow from a file of ComfyUI or fal, an image that contains one, or an exported file.
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { DryImport, ImportedWorkflow } from '../../sdk/src/schemas.ts';
import { findGraphText } from '../graph/comfyui/image-texts.ts';
import { toError } from '../lib/errors.ts';
import { readSettings } from '../lib/settings.ts';
import { createServiceClient } from './client.ts';
import { type Command, UsageError } from './command.ts';
import { cleanText } from './terminal/text-width.ts';
import { IMPORT_PATH } from './workflow-file.ts';

const MAX_FILE_BYTES = 104_857_600;
const MAX_NAME_LENGTH = 200;
/** Lists more dropped and kept nodes only with --json. */
const MAX_LISTED = 10;

export const importFile: Command = async ({ args, options, terminal, signal }) => {
  const [path = ''] = args;
  const source = await readSource(path);
  const name = typeof options.name === 'string' ? options.name : basename(path, extname(path));
  const dryRun = options.dryRun === true;
  const client = createServiceClient(readSettings(), signal);
  const body = { source, name: name.slice(0, MAX_NAME_LENGTH), ...(dryRun ? { dryRun } : {}) };
  const { workflow, report } = await client.post<ImportedWorkflow | DryImport>(IMPORT_PATH, body);
  if (options.json === true) return terminal.print(JSON.stringify({ workflow, report }, null, 2));
  terminal.print(
    'id' in workflow
      ? `${workflow.id}  ${cleanText(workflow.name)}`
      : `${cleanText(workflow.name)} was not stored.`,
  );
  const { mapped, wrapped, kept, dropped } = report.counts;
  terminal.note(
    `${report.format}: ${mapped} nodes became nodes of the board, ${wrapped} are part of the ComfyUI node, ${kept} were kept, ${dropped} dropped.`,
  );
  const lost = report.nodes.filter(({ outcome }) => outcome === 'dropped' || outcome === 'kept');
  for (const { source: id, sourceType, message = '' } of lost.slice(0, MAX_LISTED))
    terminal.note(cleanText(`  ${id} ${sourceType}: ${message}`));
};

/** Returns the text of the file, or of the graph in an image. */
async function readSource(path: string): Promise<string> {
  const bytes = await readBytes(path);
  const text = await findGraphText(bytes, async (compressed, maxOutputLength) => {
    try {
      return inflateSync(compressed, { maxOutputLength });
    } catch {
      return undefined;
    }
  });
  if (text !== undefined) return text;
  if (/^\.(?:png|webp|jpe?g)$/i.test(extname(path)))
    throw new UsageError(`${path} contains no ComfyUI workflow.`);
  return bytes.toString('utf8');
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES)
      throw new UsageError(`${path} has ${size} bytes; the maximum is ${MAX_FILE_BYTES}.`);
    return await readFile(path);
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'file not found' : toError(thrown).message;
    throw new UsageError(`${path} cannot be read: ${reason}.`, { cause: thrown });
  }
}
