// Lists OpenAPI `links`: the operations that can follow a response, with parameters taken from it.

interface Link {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}

const RUN = {
  execution: {
    operationId: 'getExecution',
    description: 'Read the execution',
    parameters: { id: '$response.body#/executionId' },
  },
  events: {
    operationId: 'streamExecution',
    description: 'Stream its events',
    parameters: { id: '$response.body#/executionId' },
  },
  cancel: {
    operationId: 'cancelExecution',
    description: 'Cancel it',
    parameters: { id: '$response.body#/executionId' },
  },
} as const;

const WORKFLOW = {
  workflow: {
    operationId: 'getWorkflow',
    description: 'Read the workflow',
    parameters: { id: '$response.body#/id' },
  },
  run: {
    operationId: 'runWorkflow',
    description: 'Run the workflow',
    parameters: { id: '$response.body#/id' },
  },
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
      description: 'Complete the upload after the bytes were sent to uploadUrl',
      requestBody: { mediaId: '$response.body#/mediaId' },
    },
  },
  'previewRender 202': {
    render: {
      operationId: 'getRender',
      description: 'Read the state of the clip',
      parameters: { id: '$response.body#/data/renderId' },
    },
  },
};

/** Returns the `links` of a response, or an empty object. */
export function linksOf(
  operationId: string,
  status: string,
): { readonly links?: Readonly<Record<string, Link>> } {
  const links = LINKS[`${operationId} ${status}`];
  return links === undefined ? {} : { links };
}
