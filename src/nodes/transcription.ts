// Declares the node that writes down speech with OpenAI or a server of one's own. Long audio is cut at silences, so that
// no request is larger than servers accept.
import { decodeAudio } from '../codecs/decode.ts';
import { findSilence, readSpeech, SPEECH_RATE, toWav } from '../codecs/speech.ts';
import type { Json, MediaRef } from '../graph/types.ts';
import { isRecord } from '../lib/record.ts';
import type { FormField } from '../providers/multipart.ts';
import { Attachment } from '../providers/provider.ts';
import type { DownloadedOutput } from '../providers/run-call.ts';
import { audio, defineNode, json, type NodeContext, NodeError, number, text } from './define.ts';
import { withMediaWorkspace } from './media-workspace.ts';
import { callOpenAi } from './models/openai-call.ts';
import { createUnpriced, MAX_CREDITS_FIELD } from './models/pricing.ts';
import { findServer, SERVER_FIELD, toOpenAiKey, withServers } from './models/servers.ts';
import { readTranscript, type TranscriptPart, toCaptions } from './transcript.ts';
import { requireShortText } from './value-checks.ts';

const PIECE_SECONDS = 600;
/** A piece ends at the quietest moment of this time before its maximum. */
const CUT_RANGE_SECONDS = 120;
const MAX_SECONDS = 21_600;

export const audioTranscription = withServers(
  defineNode({
    nodeType: 'audio:openai_transcription',
    label: 'Transcription',
    description:
      'Writes down speech with OpenAI or a compatible server. The captions have the times that the server reports.',
    category: 'model',
    source: 'vendor',
    requires: toOpenAiKey,
    inputs: { audio: audio('Audio', { required: true }) },
    config: {
      ...SERVER_FIELD,
      model: text('Model', { default: 'whisper-1' }),
      language: text('Language', {
        description: 'The code of the language that is spoken, such as en. Default: recognized by the model.',
      }),
      prompt: text('Prompt', { description: 'Names and terms that occur in the speech.' }),
      ...MAX_CREDITS_FIELD,
    },
    outputs: {
      text: text('Text'),
      captions: json('Captions'),
      language: text('Language'),
      duration: number('Duration in seconds'),
    },
    pricing: createUnpriced('priced per minute or token; the cost is known only after the call'),
    run: async ({ audio: input, ...options }, ctx) => {
      const parts: TranscriptPart[] = [];
      const usages: unknown[] = [];
      let format: ResponseFormat = 'verbose_json';
      let offset = 0;
      let isLast = false;
      while (!isLast) {
        const piece = await readPiece(input, offset, ctx);
        ({ isLast } = piece);
        const call = await transcribe(toWav(piece.samples), format, options, ctx);
        ({ format } = call);
        usages.push(call.output.usage);
        const { seconds } = piece;
        parts.push(await readTranscript(call.output.chunks, { offset, seconds }));
        offset += seconds;
        ctx.progress(Math.min(1, offset / piece.totalSeconds));
      }
      ctx.task.use(sumUsage(usages));
      const words = parts.flatMap(part => (part.text === '' ? [] : [part.text]));
      return {
        text: requireShortText(words.join(' ')),
        captions: toCaptions(parts) as unknown as Json,
        language: parts.find(part => part.text !== '' && part.language !== undefined)?.language,
        duration: Math.round(offset * 1000) / 1000,
      };
    },
  }),
  'transcriptions',
);

interface Piece {
  readonly samples: Int16Array;
  readonly seconds: number;
  readonly isLast: boolean;
  readonly totalSeconds: number;
}

/** Decodes the piece that starts at `offset`. The codec is free again before the piece is sent. */
function readPiece(input: MediaRef, offset: number, ctx: NodeContext): Promise<Piece> {
  return withMediaWorkspace(ctx, async workspace => {
    const clip = await workspace.open(input, 'audio');
    const totalSeconds = clip.info.durationSeconds;
    if (totalSeconds > MAX_SECONDS)
      throw new NodeError(
        'too_long',
        `The audio lasts ${Math.round(totalSeconds)} s. The maximum is ${MAX_SECONDS} s. Trim it first.`,
      );
    const seconds = Math.min(PIECE_SECONDS, Math.max(0, totalSeconds - offset));
    const part = { startSeconds: offset, seconds };
    const samples = await readSpeech(decodeAudio(workspace.backend, clip, part, ctx.signal), seconds);
    if (offset + seconds >= totalSeconds) return { samples, seconds, isLast: true, totalSeconds };
    const cut = await findSilence(samples, {
      fromSeconds: PIECE_SECONDS - CUT_RANGE_SECONDS,
      toSeconds: PIECE_SECONDS,
    });
    const piece = samples.subarray(0, Math.round(cut * SPEECH_RATE));
    return { samples: piece, seconds: piece.length / SPEECH_RATE, isLast: false, totalSeconds };
  });
}

/** `verbose_json` has times, but not every server and model knows it. */
type ResponseFormat = 'verbose_json' | 'json';

interface TranscriptionOptions {
  readonly server: string | undefined;
  readonly model: string;
  readonly language: string | undefined;
  readonly prompt: string | undefined;
}

/** Sends the piece. Asks again for the text alone if the server refuses to send times. */
async function transcribe(
  wav: Buffer,
  format: ResponseFormat,
  options: TranscriptionOptions,
  ctx: NodeContext,
): Promise<{ readonly output: DownloadedOutput; readonly format: ResponseFormat }> {
  const { server, model, language, prompt } = options;
  const send = (responseFormat: ResponseFormat): Promise<DownloadedOutput> => {
    const fields: readonly FormField[] = [
      ['file', new Attachment(wav, 'audio/wav', 'audio.wav')],
      ['model', model],
      ['response_format', responseFormat],
      ...(responseFormat === 'json' ? [] : [['timestamp_granularities[]', 'word'] as const]),
      ...Object.entries({ language, prompt }).flatMap(([name, value]) =>
        value === undefined || value === '' ? [] : [[name, value] as const],
      ),
    ];
    return callOpenAi({ server: findServer({ server }) }, { kind: 'transcription', fields }, ctx);
  };
  try {
    return { output: await send(format), format };
  } catch (err) {
    const isRefused =
      err instanceof NodeError &&
      (err.code === 'provider_invalid_input' || err.code === 'provider_bad_output');
    if (format === 'json' || !isRefused) throw err;
    return { output: await send('json'), format: 'json' };
  }
}

/** Adds up the counts of the usages that the server reported for the pieces. */
function sumUsage(usages: readonly unknown[]): unknown {
  if (usages.length === 1) return usages[0];
  const sum: Record<string, number> = {};
  for (const usage of usages.filter(isRecord))
    for (const [name, count] of Object.entries(usage).slice(0, 20))
      if (typeof count === 'number') sum[name] = (sum[name] ?? 0) + count;
  return Object.keys(sum).length === 0 ? undefined : sum;
}
