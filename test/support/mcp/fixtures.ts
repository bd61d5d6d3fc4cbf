// Defines the fixtures that the MCP conformance suite requires of a server, with the expected names and contents.
import type {
  CallToolResult,
  ElicitRequestFormParams,
  InputRequest,
  InputRequests,
  ServerContext,
} from '@modelcontextprotocol/server';
import { inputRequired } from '@modelcontextprotocol/server';

type Content = CallToolResult['content'];
type Notify = (ctx: ServerContext) => Promise<void>;

const IMAGE = {
  type: 'image',
  // One transparent pixel.
  data: 'R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIBAAA=',
  mimeType: 'image/gif',
} as const;
const AUDIO = { type: 'audio', data: Buffer.from('RIFF').toString('base64'), mimeType: 'audio/wav' } as const;
const textBlock = (text: string) => ({ type: 'text', text }) as const;
const resourceBlock = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const;

/** Tools with a fixed result. */
export const STATIC_TOOLS: Readonly<Record<string, Content>> = {
  test_simple_text: [textBlock('This is a simple text response for testing.')],
  test_image_content: [IMAGE],
  test_audio_content: [AUDIO],
  test_embedded_resource: [resourceBlock('test://embedded-resource', 'text/plain', 'An embedded text.')],
  test_multiple_content_types: [
    textBlock('Several kinds'),
    IMAGE,
    resourceBlock('test://mixed-content-resource', 'application/json', '{"value":123}'),
  ],
};

/** Tools that send notifications before they answer. */
export const NOTIFYING_TOOLS: Readonly<Record<string, Notify>> = {
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const step of ['started', 'processing', 'completed']) await mcpReq.log('info', step);
  },
  test_logging_tool: ({ mcpReq }) => mcpReq.log('info', 'only where the request asks for it'),
  test_tool_with_progress: async ctx => {
    for (const progress of [0, 50, 100]) await reportProgress(ctx, progress);
  },
  test_streaming_elicitation: ctx => reportProgress(ctx, 50),
};

async function reportProgress({ mcpReq }: ServerContext, progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken ?? 'none';
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
}

/** Rounds of requests to the client. Each round follows the client's answers to the previous round. */
export interface InputRounds {
  readonly rounds: readonly InputRequests[];
  /** Omits requests that need a capability that the client has not declared. */
  readonly onlyDeclared?: true;
}

type Properties = ElicitRequestFormParams['requestedSchema']['properties'];

const form = (
  message: string,
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [...required] } });
const sample = (text: string): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: textBlock(text) }], maxTokens: 100 });
const text = { type: 'string' } as const;
const inRounds = (...rounds: InputRequests[]): InputRounds => ({ rounds });

const NAME = form('What is your name?', { name: text });
const CONFIRM = form('Please confirm', { ok: { type: 'boolean' } });
const DEFAULTS: Properties = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const createTitledOptions = (word: string) =>
  ['First', 'Second', 'Third'].map((title, index) => ({
    const: `value${index + 1}`,
    title: `${title} ${word}`,
  }));
const WORDS = ['option1', 'option2', 'option3'];
const CHOICES: Properties = {
  untitledSingle: { type: 'string', enum: WORDS },
  titledSingle: { type: 'string', oneOf: createTitledOptions('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: WORDS } },
  titledMulti: { type: 'array', items: { anyOf: createTitledOptions('Choice') } },
};

/** Tools that send requests to the client. */
export const INPUT_TOOLS: Readonly<Record<string, InputRounds>> = {
  test_sampling: inRounds({ answer: sample('Test prompt') }),
  test_elicitation: inRounds({ answer: form('Who are you?', { username: text, email: text }) }),
  test_elicitation_sep1034_defaults: inRounds({ answer: form('Look through', DEFAULTS, []) }),
  test_elicitation_sep1330_enums: inRounds({ answer: form('Choose', CHOICES, []) }),
  test_missing_capability: inRounds({ answer: sample('Anything') }),
  test_input_required_result_elicitation: inRounds({ user_name: NAME }),
  test_input_required_result_sampling: inRounds({
    capital_question: sample('What is the capital of France?'),
  }),
  test_input_required_result_list_roots: inRounds({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: inRounds({ confirm: CONFIRM }),
  test_input_required_result_tampered_state: inRounds({ confirm: CONFIRM }),
  test_input_required_result_multiple_inputs: inRounds({
    user_name: NAME,
    greeting: sample('Generate a greeting'),
    client_roots: inputRequired.listRoots(),
  }),
  test_input_required_result_multi_round: inRounds(
    { step1: NAME },
    { step2: form('What is your favorite color?', { color: text }) },
  ),
  test_input_required_result_capabilities: {
    rounds: [{ asked: form('Anything', { value: text }), sampled: sample('Anything') }],
    onlyDeclared: true,
  },
};

interface FixturePrompt {
  readonly args: readonly string[];
  readonly contents: (args: Readonly<Record<string, string>>) => Content;
  readonly input?: InputRounds;
}

export const PROMPTS: Readonly<Record<string, FixturePrompt>> = {
  test_simple_prompt: { args: [], contents: () => [textBlock('A simple prompt.')] },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    contents: ({ arg1, arg2 }) => [textBlock(`With ${arg1} and ${arg2}.`)],
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    contents: ({ resourceUri = '' }) => [
      resourceBlock(resourceUri, 'text/plain', 'Embedded.'),
      textBlock('Read it.'),
    ],
  },
  test_prompt_with_image: { args: [], contents: () => [IMAGE, textBlock('Look at it.')] },
  test_input_required_result_prompt: {
    args: [],
    contents: () => [textBlock('With the context.')],
    input: inRounds({ user_context: form('Which context?', { context: text }) }),
  },
};

interface FixtureResource {
  readonly mimeType: string;
  readonly read: (id: string) => { readonly text: string } | { readonly blob: string };
}

/** Resources by URI, which may contain a variable. */
export const RESOURCES: Readonly<Record<string, FixtureResource>> = {
  'test://static-text': { mimeType: 'text/plain', read: () => ({ text: 'A text.' }) },
  'test://static-binary': { mimeType: IMAGE.mimeType, read: () => ({ blob: IMAGE.data }) },
  'test://watched-resource': { mimeType: 'text/plain', read: () => ({ text: 'Watched.' }) },
  'test://template/{id}/data': {
    mimeType: 'application/json',
    read: id => ({ text: JSON.stringify({ id }) }),
  },
};
