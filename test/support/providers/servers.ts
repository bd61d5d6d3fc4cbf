// Starts doubles of the servers that people run next to Graphwright, with the routes, answers and errors of their
// published sources.
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

/** Names of servers that have a double. */
export type ServerKind = keyof typeof SERVERS;

/** Starts the double of a server. `file` is the image or the sound that it returns. */
export function startServer(kind: ServerKind, file: Buffer = Buffer.alloc(0)): Promise<Double> {
  const respond = SERVERS[kind];
  return startDouble(request => respond(request, file));
}

type Respond = (request: ReceivedRequest, file: Buffer) => Reply;

const json = (status: number, body: unknown): Reply => ({ status, body });
const html = (status: number, text: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from(text),
});
const listModels = (...ids: readonly string[]): Reply =>
  json(200, {
    object: 'list',
    data: ids.map(id => ({ id, object: 'model', created: 1, owned_by: 'library' })),
  });

/** ollama/ollama: middleware/openai.go, openai/openai.go, server/routes.go. Reads only `max_tokens`. */
const ollama: Respond = ({ method, path, json: body }) => {
  const refuse = (status: number, message: string, type = 'invalid_request_error'): Reply =>
    json(status, { error: { message, type, param: null, code: null } });
  switch (`${method} ${path}`) {
    case 'GET /v1/models':
      return listModels('llama3.2:latest', 'nomic-embed-text:latest');
    case 'POST /v1/chat/completions': {
      if (!Array.isArray(body.messages) || body.messages.length === 0)
        return refuse(400, "[] is too short - 'messages'");
      if (body.model !== 'llama3.2') {
        const message = `model "${String(body.model)}" not found, try pulling it first`;
        return refuse(404, message, 'not_found_error');
      }
      const message = { role: 'assistant', content: 'A fox.' };
      const common = { id: 'chatcmpl-8', created: 1, model: 'llama3.2', system_fingerprint: 'fp_ollama' };
      if (body.stream === true) {
        const chunk = { ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta: message }] };
        return {
          status: 200,
          headers: { 'content-type': 'text/event-stream' },
          body: Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`),
        };
      }
      // Neither `logprobs` nor `refusal`, and a null limit is no limit.
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
      return json(200, { ...common, object: 'chat.completion', choices, usage });
    }
    case 'POST /v1/embeddings':
      return refuse(400, 'invalid input');
    case 'POST /v1/images/generations':
      return refuse(400, 'prompt is required');
    default:
      return {
        status: 404,
        headers: { 'content-type': 'text/plain' },
        body: Buffer.from('404 page not found'),
      };
  }
};

/** LM Studio, by its public bug tracker: unknown routes are answered with 200. Streams unless told not to. */
const lmStudio: Respond = ({ method, path, json: body }) => {
  const refuse = (message: string): Reply => json(400, { error: message });
  switch (`${method} ${path}`) {
    case 'GET /v1/models':
      return listModels('google/gemma-4-e4b');
    case 'POST /v1/chat/completions': {
      if (body.messages === undefined) return refuse("'messages' field is required");
      const message = { role: 'assistant', content: 'A fox.', tool_calls: [] };
      if (body.stream !== false)
        return {
          status: 200,
          headers: { 'content-type': 'text/event-stream' },
          body: Buffer.from('data: [DONE]\n\n'),
        };
      const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
      return json(200, { id: 'chatcmpl-1', object: 'chat.completion', model: 'gemma', choices, stats: {} });
    }
    case 'POST /v1/embeddings':
      return refuse("'input' field is required");
    default:
      return json(200, { error: `Unexpected endpoint or method. (${method} ${path})` });
  }
};

/** leejet/stable-diffusion.cpp: examples/server/routes_openai.cpp. Other fields stand in `<sd_cpp_extra_args>`. */
const sdServer: Respond = ({ method, path, json: body, headers }, file) => {
  const refuse = (error: string): Reply => json(400, { error });
  const reply = json(200, {
    created: 1,
    data: [{ b64_json: file.toString('base64') }],
    output_format: 'png',
  });
  switch (`${method} ${path}`) {
    case 'GET /v1/models':
      return json(200, { data: [{ id: 'sd-cpp-local', object: 'model', owned_by: 'local' }] });
    case 'POST /v1/images/generations': {
      const [, width = '512', height = '512'] = /^(\d+)x(\d+)$/.exec(String(body.size ?? '')) ?? [];
      if (typeof body.prompt !== 'string' || body.prompt === '') return refuse('prompt required');
      const isDrawable = [width, height].every(side => Number(side) % 8 === 0 && Number(side) <= 4096);
      return isDrawable ? reply : refuse('invalid params');
    }
    case 'POST /v1/images/edits':
      return headers['content-type']?.startsWith('multipart/form-data') === true
        ? reply
        : refuse('Content-Type must be multipart/form-data');
    default:
      return { status: 404, headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(0) };
  }
};

/** remsky/Kokoro-FastAPI: api/src/routers/openai_compatible.py, with FastAPI's errors. Streams unless told not to. */
const kokoro: Respond = ({ method, path, json: body }, file) => {
  switch (`${method} ${path}`) {
    case 'GET /v1/models':
      return listModels('tts-1', 'tts-1-hd', 'kokoro');
    case 'POST /v1/audio/speech': {
      if (typeof body.input !== 'string')
        return json(422, {
          detail: [{ type: 'missing', loc: ['body', 'input'], msg: 'Field required', input: {} }],
        });
      const { model = 'kokoro', voice = 'af_heart' } = body;
      const refuse = (error: string, message: string): Reply =>
        json(400, { detail: { error, message, type: 'invalid_request_error' } });
      if (!['tts-1', 'tts-1-hd', 'kokoro'].includes(String(model)))
        return refuse('invalid_model', `Unsupported model: ${String(model)}`);
      if (!['alloy', 'af_heart'].includes(String(voice)))
        return refuse('validation_error', `Voice '${String(voice)}' not found. Available voices: af_heart`);
      return { status: 200, headers: { 'content-type': 'audio/mpeg' }, body: file };
    }
    default:
      return json(404, { detail: 'Not Found' });
  }
};

/** speaches-ai/speaches: src/speaches/routers/stt.py and api_types.py. Words start with a space. */
const speaches: Respond = ({ method, path, ...request }) => {
  if (`${method} ${path}` === 'GET /v1/models') return listModels('Systran/faster-whisper-small');
  if (`${method} ${path}` !== 'POST /v1/audio/transcriptions') return json(404, { detail: 'Not Found' });
  const form = readForm(request);
  if (!form.has('file'))
    return json(422, { detail: [{ type: 'missing', loc: ['body', 'file'], msg: 'Field required' }] });
  const model = form.get('model')?.text;
  if (model !== 'Systran/faster-whisper-small' && model !== 'whisper-1') {
    const detail = `Model '${model}' is not installed locally. You can download the model using \`POST /v1/models\``;
    return json(404, { detail });
  }
  if (form.get('response_format')?.text !== 'verbose_json') return json(200, { text: 'Good morning.' });
  const words = [
    { start: 0.1, end: 0.4, word: ' Good', probability: 0.9 },
    { start: 0.4, end: 0.9, word: ' morning.', probability: 0.9 },
  ];
  const segments = [
    { id: 1, seek: 0, start: 0.1, end: 0.9, text: ' Good morning.', tokens: [1], temperature: 0, words },
  ];
  return json(200, {
    task: 'transcribe',
    language: 'en',
    duration: 1,
    text: 'Good morning.',
    words,
    segments,
  });
};

/**
 * ggml-org/whisper.cpp: examples/server/server.cpp with `--inference-path /v1/audio/transcriptions`. Reads only WAV with
 * 16 kHz. Lists no models; the words are tokens in the segments, and the language is a name.
 */
const whisperServer: Respond = ({ method, path, ...request }) => {
  if (`${method} ${path}` !== 'POST /v1/audio/transcriptions') return html(404, `File Not Found (${path})`);
  const form = readForm(request);
  const file = form.get('file');
  if (file === undefined) return json(400, { error: "no 'file' field in the request" });
  if (file.bytes.toString('latin1', 8, 12) !== 'WAVE' || file.bytes.readUInt32LE(24) !== 16_000)
    return json(400, { error: 'failed to read audio data' });
  if (form.get('response_format')?.text !== 'verbose_json') return json(200, { text: ' Guten Morgen.\n' });
  const words = [
    { word: ' Gut', start: 0.1, end: 0.2, t_dtw: -1, probability: 0.9 },
    { word: 'en', start: 0.2, end: 0.3, t_dtw: -1, probability: 0.9 },
    { word: ' Morgen', start: 0.3, end: 0.8, t_dtw: -1, probability: 0.9 },
    { word: '.', start: 0.8, end: 0.9, t_dtw: -1, probability: 0.9 },
  ];
  return json(200, {
    task: 'transcribe',
    language: 'german',
    duration: 1,
    text: ' Guten Morgen.\n',
    segments: [{ id: 0, text: ' Guten Morgen.', start: 0, end: 0.9, tokens: [1, 2], words, temperature: 0 }],
    detected_language: 'german',
  });
};

/** mudler/LocalAI: core/http/endpoints/openai/image.go. Images are files of the server unless base64 is asked for. */
const localAi: Respond = ({ method, path, json: body, headers }, file) => {
  if (path.startsWith('/generated-images/')) return { status: 200, body: file };
  switch (`${method} ${path}`) {
    case 'GET /v1/models':
      return json(200, { object: 'list', data: [{ id: 'stablediffusion', object: 'model' }] });
    case 'POST /v1/images/generations':
      if (body.prompt === undefined)
        return json(500, {
          error: { code: 500, message: 'failed reading parameters from request', type: '' },
        });
      return json(200, {
        id: '1',
        created: 1,
        data: [{ embedding: null, index: 0, url: `http://${headers.host}/generated-images/b641.png` }],
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      });
    default:
      return json(404, { error: { code: 404, message: 'Resource not found', type: '' } });
  }
};

const SERVERS = { ollama, lmStudio, sdServer, kokoro, speaches, whisperServer, localAi } as const;

interface FormValue {
  readonly bytes: Buffer;
  readonly text: string;
}

/** Reads a multipart body. Of fields with the same name, the last counts. */
export function readForm({
  headers,
  body,
}: Pick<ReceivedRequest, 'headers' | 'body'>): ReadonlyMap<string, FormValue> {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  const parts = boundary === undefined ? [] : body.toString('latin1').split(`--${boundary}`);
  return new Map(
    parts.flatMap(part => {
      const [, name, content] = /name="([^"]*)".*?\r\n\r\n(.*)\r\n$/s.exec(part) ?? [];
      if (name === undefined || content === undefined) return [];
      const bytes = Buffer.from(content, 'latin1');
      return [[name, { bytes, text: bytes.toString() }] as const];
    }),
  );
}
