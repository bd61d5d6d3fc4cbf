// Starts a double of OpenAI. Images, chat and speech end immediately, and background responses after several polls.
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

export interface OpenAiDouble extends Double {
  readonly state: {
    /** The number of polls until a background response ends. */
    polls: number;
    /** The fields of a chat completion's choice. */
    chat: Readonly<Record<string, unknown>>;
    /** The fields of a background response that has ended. */
    response: Readonly<Record<string, unknown>>;
  };
}

export async function startOpenAi(file: Buffer): Promise<OpenAiDouble> {
  const state: OpenAiDouble['state'] = {
    polls: 2,
    chat: { message: { role: 'assistant', content: 'A fox.' }, finish_reason: 'stop' },
    response: {
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'A fox.', annotations: [] }],
        },
      ],
    },
  };
  const pollCounts = new Map<string, number>();
  const cancelledIds = new Set<string>();
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
  const imageUsage = { ...usage, input_tokens_details: { text_tokens: 3, image_tokens: 0 } };
  const chatUsage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const responseUsage = {
    ...usage,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const respond = (request: ReceivedRequest): Reply => {
    const { method, path } = request;
    if (request.headers.authorization !== 'Bearer sk-test') {
      const message = `Incorrect API key provided: ${String(request.headers.authorization)}.`;
      return {
        status: 401,
        body: { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } },
      };
    }
    if (path.startsWith('/v1/images/')) {
      return {
        status: 200,
        body: { created: 1, data: [{ b64_json: file.toString('base64') }], usage: imageUsage },
      };
    }
    if (path === '/v1/chat/completions')
      return { status: 200, body: { ...CHAT, choices: [toChoice(state.chat)], usage: chatUsage } };
    if (path === '/v1/audio/speech') return { status: 200, body: file };
    if (path === '/v1/audio/transcriptions') return { status: 200, body: TRANSCRIPTION };
    if (method === 'POST' && path === '/v1/responses') {
      const missingParameter = findMissingParameter(request.json);
      if (missingParameter !== undefined) {
        const error = {
          message: `Missing required parameter: '${missingParameter}'.`,
          code: 'missing_required_parameter',
        };
        return { status: 400, body: { error } };
      }
      const id = `resp_${pollCounts.size + 1}`;
      pollCounts.set(id, 0);
      return { status: 200, body: { ...RESPONSE, id, status: 'queued' } };
    }
    const [, id = '', tail = ''] = /\/responses\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const pollCount = pollCounts.get(id);
    if (pollCount === undefined)
      return { status: 404, body: { error: { message: 'not found', code: null } } };
    if (tail === '/cancel' && pollCount > state.polls) {
      const error = { message: 'Cannot cancel a completed response.', code: null };
      return { status: 400, body: { error } };
    }
    if (tail === '/cancel') cancelledIds.add(id);
    if (cancelledIds.has(id)) return { status: 200, body: { ...RESPONSE, id, status: 'cancelled' } };
    pollCounts.set(id, pollCount + 1);
    const isRunning = pollCount < state.polls;
    const stateFields = isRunning ? { status: 'in_progress' } : { usage: responseUsage, ...state.response };
    return { status: 200, body: { ...RESPONSE, id, ...stateFields } };
  };
  return Object.assign(await startDouble(respond), { state });
}

const CHAT = { id: 'c', object: 'chat.completion', created: 1, model: 'gpt-test' };
const TRANSCRIPTION = {
  text: 'A fox.',
  language: 'english',
  duration: 1,
  words: [
    { word: 'A', start: 0, end: 0.4 },
    { word: 'fox', start: 0.4, end: 0.9 },
  ],
};
const RESPONSE = {
  object: 'response',
  created_at: 1,
  model: 'gpt-test',
  access_programs: null,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: null,
  output: [],
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
};

function toChoice({ message, ...rest }: Readonly<Record<string, unknown>>): object {
  const completed = { role: 'assistant', content: null, refusal: null, ...(message as object) };
  return { index: 0, logprobs: null, message: completed, ...rest };
}

/** Returns the path of a required parameter that the input lacks. */
function findMissingParameter({ input }: ReceivedRequest['json']): string | undefined {
  const messages = (Array.isArray(input) ? input : []) as readonly { readonly content: readonly object[] }[];
  for (const [m, { content }] of messages.entries()) {
    const part = content.findIndex(
      item => 'type' in item && item.type === 'input_image' && !('detail' in item),
    );
    if (part >= 0) return `input[${m}].content[${part}].detail`;
  }
  return undefined;
}
