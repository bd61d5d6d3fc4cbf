// Links from an answer to what can be asked next of what it names (OpenAPI's `links`).

interface Link {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}

const RUN = {
  execution: {
    operationId: 'getExecution',
    description: 'Its record',
    parameters: { id: '$response.body#/executionId' },
  },
  events: {
    operationId: 'streamExecution',
    description: 'Its events',
    parameters: { id: '$response.body#/executionId' },
  },
  cancel: {
    operationId: 'cancelExecution',
    description: 'Stop it',
    parameters: { id: '$response.body#/executionId' },
  },
} as const;

const WORKFLOW = {
  workflow: { operationId: 'getWorkflow', description: 'Read it', parameters: { id: '$response.body#/id' } },
  run: { operationId: 'runWorkflow', description: 'Run it', parameters: { id: '$response.body#/id' } },
} as const;

/** Operation id and status → links. */
const LINKS: Readonly<Record<string, Readonly<Record<string, Link>>>> = {
  'runWorkflow 202': RUN,
  'executeWorkflow 202': RUN,
  'resumeExecution 202': RUN,
  'createWorkflow 201': WORKFLOW,
  'importWorkflow 201': WORKFLOW,
  'duplicateWorkflow 201': WORKFLOW,
  'mintUpload 200': {
    complete: {
      operationId: 'completeUpload',
      description: 'After the bytes were put to uploadUrl',
      requestBody: { mediaId: '$response.body#/mediaId' },
    },
  },
  'previewRender 202': {
    render: {
      operationId: 'getRender',
      description: 'The clip as it stands',
      parameters: { id: '$response.body#/data/renderId' },
    },
  },
};

/** The member `links` of a response; nothing where there are none. */
export function linksOf(
  operationId: string,
  status: string,
): { readonly links?: Readonly<Record<string, Link>> } {
  const links = LINKS[`${operationId} ${status}`];
  return links === undefined ? {} : { links };
}
