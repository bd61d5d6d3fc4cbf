// Defines the tool that adds a file from a URL, or by a command that the agent's user can run.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { completeUpload } from '../../services/media/complete-upload.ts';
import { createUpload } from '../../services/media/presigned-upload.ts';
import { uploadInline } from '../../services/media/upload-media.ts';
import { Exact } from '../../services/schema.ts';
import { AnyObject, defineTool, Id, OutputSchema, type ToolContext } from '../tool.ts';

export const addMediaTool = defineTool({
  name: 'add_media',
  title: 'Add media',
  description:
    'Store the file at a public url. For a local file: send filename, contentType and bytes; run the returned command; call again with only mediaId to complete the upload.',
  scope: 'workflows:write',
  hints: { destructiveHint: false, openWorldHint: true },
  input: Exact({
    url: Type.Optional(Type.String({ maxLength: 8192 })),
    filename: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    contentType: Type.Optional(Type.String({ maxLength: 200 })),
    bytes: Type.Optional(Type.Integer({ minimum: 1, description: 'Exact length of the file' })),
    mediaId: Type.Optional(Id('Without other arguments: completes this upload after its command ran')),
  }),
  output: OutputSchema({
    mediaId: Type.String(),
    url: Type.String(),
    contentType: Type.String(),
    bytes: Type.Integer(),
    uploadUrl: Type.String(),
    headers: AnyObject(),
    command: Type.String(),
    note: Type.String(),
  }),
  tooLongHint: '',
  call: async (ctx, { url, mediaId, filename, contentType, bytes }) => {
    const { deps, actor, signal } = ctx;
    if (url !== undefined) return { data: presentStored(await uploadInline(deps, actor, { url }, signal)) };
    if (mediaId !== undefined)
      return { data: presentStored(await completeUpload(deps, actor, { mediaId }, signal)) };
    if (filename === undefined || contentType === undefined || bytes === undefined)
      throw new AppError('invalid_request', 'Send url, or filename, contentType and bytes, or mediaId.');
    return { data: await startUpload(ctx, { filename, contentType, bytes }) };
  },
});

async function startUpload(
  { deps, actor }: ToolContext,
  file: { readonly filename: string; readonly contentType: string; readonly bytes: number },
) {
  const { uploadUrl, headers, mediaId, url, contentType, bytes } = await createUpload(deps, actor, file);
  const curlHeaders = Object.entries(headers).filter(([name]) => name !== 'Content-Length');
  const options = curlHeaders.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`).join(' ');
  return {
    mediaId,
    url,
    contentType,
    bytes,
    uploadUrl,
    headers,
    command: `curl -fsS -T ${quote(file.filename)} ${options} ${quote(uploadUrl)}`,
    note: `The file is not usable yet. 1. Run command within 15 minutes. 2. Call add_media again with {"mediaId":"${mediaId}"} alone: it checks the file and completes the upload. 3. Use mediaId in nodes.`,
  };
}

function presentStored(file: Awaited<ReturnType<typeof completeUpload>>) {
  const { mediaId, url, contentType, bytes } = file;
  return { mediaId, url, contentType, bytes };
}

/** Quotes an argument for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
