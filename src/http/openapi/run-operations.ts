// Describes the operations of runs, executions, webhooks, media and renders.
import type { OperationTable } from './operation.ts';

const V1 = '/api/v1';
const OWN = ['forbidden', 'not_found'] as const;
const START = [
  ...OWN,
  'invalid_graph',
  'invalid_inputs',
  'cyclic_graph',
  'provider_not_configured',
  'svg_not_drawable',
  'workflow_inactive',
  'insufficient_credits',
  'max_credits_exceeded',
  'daily_budget_exceeded',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'unreadable_image',
  'daily_execution_limit',
] as const;
/** The errors of an uploaded file. */
export const FILE = [
  'file_too_large',
  'storage_quota_exceeded',
  'unsupported_type',
  'unreadable_image',
  'unreadable_media',
  'empty_file',
] as const;
const WAIT =
  'Returns 202 as soon as the run is stored. The run continues if the client disconnects. With `Prefer: wait=N`, the ' +
  'response is 200 with the record if the run ends within N seconds (at most 60). With `Idempotency-Key`, the request can ' +
  'be repeated for 24 hours and starts only one run.';

export const RUN_OPERATIONS: OperationTable = {
  [`POST ${V1}/workflows/{id}/run`]: [
    'runWorkflow',
    `Starts a run of the current graph. ${WAIT} If the request has a \`webhook\`, the result is sent to it.`,
    [...START, 'invalid_webhook'],
  ],
  [`POST ${V1}/workflows/{id}/execute`]: [
    'executeWorkflow',
    `Starts a run like \`run\`, without a webhook. Counts against the executions per minute. ${WAIT}`,
    START,
  ],
  [`POST ${V1}/executions/{id}/resume`]: [
    'resumeExecution',
    `Continues a run that is waiting for a decision, with your \`decision\`. A run that has ended is started again under a new id with \`resumedFromId\`: nodes that have not changed are reused at no charge. ${WAIT}`,
    [...START, 'invalid_webhook', 'not_resumable'],
  ],
  [`POST ${V1}/workflows/{id}/estimate`]: [
    'estimateRun',
    'Returns the estimated cost of a run by node, and the available credits. `exact` is false if a price is known only after the run.',
    [...OWN, 'invalid_graph', 'invalid_inputs', 'cyclic_graph'],
  ],
  [`GET ${V1}/workflows/{id}/executions`]: [
    'listWorkflowExecutions',
    'Returns the executions of a workflow, newest first, without node states, inputs and outputs.',
    OWN,
  ],
  [`GET ${V1}/executions`]: [
    'listExecutions',
    'Returns the executions that you started, newest first, without node states.',
  ],
  [`GET ${V1}/executions/{id}`]: [
    'getExecution',
    'Returns the complete record of an execution: status, node states, outputs, credits and webhook.',
    OWN,
  ],
  [`DELETE ${V1}/executions/{id}`]: [
    'deleteExecution',
    'Deletes the record of a run that has ended. Its media are kept.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/executions/{id}/outputs/{nodeId}`]: [
    'getNodeOutputs',
    'Returns the state of one node with its complete values, even if the execution record has them `truncated`.',
    OWN,
  ],
  [`GET ${V1}/executions/{id}/workflow`]: [
    'getExecutionGraph',
    'Returns the graph that the run executes.',
    OWN,
  ],
  [`GET ${V1}/executions/{id}/events`]: [
    'streamExecution',
    'Streams server-sent events. The first is `snapshot`, the complete record. `node`, `execution` and `progress` events follow as the run changes, with a comment every 15 s. The stream ends with the run. The `data` of each event is JSON. Event ids increase: with `Last-Event-ID`, the stream resumes after that event, and the response is 204 if no events are left. `progress` events have no id. Each process allows 20 open streams per account and 200 per address.',
    [...OWN, 'too_many_streams'],
  ],
  [`POST ${V1}/executions/{id}/cancel`]: [
    'cancelExecution',
    'Cancels a run. Nodes that have finished keep their results and are charged. A run that has ended does not change.',
    OWN,
  ],

  [`GET ${V1}/executions/{id}/deliveries`]: [
    'listDeliveries',
    'Returns each delivery attempt with its time, status code and the first KB of the response.',
    OWN,
  ],
  [`POST ${V1}/executions/{id}/deliveries/{deliveryId}/redeliver`]: [
    'redeliver',
    'Sends the event again with the same `eventId`.',
    [...OWN, 'conflict'],
  ],
  [`POST ${V1}/webhooks/test`]: [
    'testWebhook',
    'Sends a signed sample event to a webhook and returns the response of the receiver.',
    ['invalid_webhook'],
  ],

  'POST /hooks/{provider}/{token}': [
    'receiveProviderHook',
    'Receives a notification from a provider that a task has ended, and resumes the run, which requests the result from the provider.',
    ['not_found', 'unauthorized', 'forbidden'],
  ],

  [`POST ${V1}/media/upload`]: [
    'uploadMedia',
    'Uploads a file as a multipart form (up to 4 MB, with the hints before the file), as a `dataUrl` (up to 3 MB), or from a `url` that the service fetches (up to 25 MB). The content must match its declared type. SVG files are rebuilt from an allowlist of elements and attributes.',
    ['forbidden', ...FILE, 'fetch_failed', 'invalid_svg', 'svg_too_complex', 'upload_busy'],
  ],
  [`POST ${V1}/media/upload-url`]: [
    'mintUpload',
    'Creates an upload URL for a larger file. `PUT` the bytes to `uploadUrl` with exactly the returned `headers` within 15 minutes, then complete the upload.',
    [
      'forbidden',
      'invalid_bytes',
      'file_too_large',
      'storage_quota_exceeded',
      'unsupported_type',
      'upload_busy',
      'upload_budget_exceeded',
    ],
  ],
  [`POST ${V1}/media/upload-url/complete`]: [
    'completeUpload',
    'Checks the uploaded bytes and creates a media file from them. Can safely be repeated.',
    [...FILE, 'invalid_media_id', 'upload_not_found', 'upload_busy'],
  ],
  [`GET ${V1}/media`]: [
    'listMedia',
    'Returns the media of your active workspace, newest first. Only uploads are returned unless `origin` selects outputs of runs or previews.',
  ],
  [`GET ${V1}/media/{id}`]: ['getMedia', 'Returns the URL, type, size and name of a media file.', OWN],
  [`GET ${V1}/media/{id}/uses`]: [
    'listMediaUses',
    'Returns the workflows and nodes that use a media file, the publications that contain it, the execution that created it and the executions that used the output of another. Only those that you may read are returned.',
    OWN,
  ],
  [`DELETE ${V1}/media/{id}`]: [
    'deleteMedia',
    'Deletes a media file. A file that workflows use is deleted only with `force=true`.',
    [...OWN, 'media_in_use'],
  ],
  'GET /cdn/{mediaId}/{name}': [
    'downloadMedia',
    'Returns the bytes of a media file, cacheable for a year. Supports `Range`. SVG files are sent as attachments.',
    ['not_found', 'range_not_satisfiable'],
    [206, 307],
  ],
  'PUT /uploads/{mediaId}': [
    'putUpload',
    'Receives the bytes of an upload. `uploadUrl` points here if media are stored on disk. The URL and the headers are signed. Errors are XML, as those of an S3 bucket.',
    ['forbidden', 'not_found'],
  ],

  [`GET ${V1}/renderer/scene-graph`]: [
    'getSceneGraphContract',
    'Returns a guide to authoring videos, and the JSON Schema that scene graphs are validated against at run time.',
  ],
  [`GET ${V1}/renderer/templates`]: [
    'listVideoTemplates',
    'Returns the compositions that your account may use.',
  ],
  [`GET ${V1}/renderer/templates/{id}`]: [
    'getVideoTemplate',
    'Returns a composition with the slots of its default props.',
    ['not_found'],
  ],
  [`GET ${V1}/renderer/templates/{id}/thumbnail`]: [
    'getVideoTemplateThumbnail',
    'Returns a still of the composition as WebP.',
    ['unauthorized', ...OWN],
  ],
  [`POST ${V1}/render/renderer/preview`]: [
    'previewRender',
    'Renders a preview. Stills are returned in the response. `format: "mp4"` starts a clip and returns 202. Previews are free.',
    [...OWN, 'invalid_scene_graph', 'storage_quota_exceeded', 'render_busy', 'codec_failed'],
  ],
  [`GET ${V1}/render/renderer/{id}`]: [
    'getRender',
    'Returns the state of a clip, and its URL when it is completed.',
    OWN,
  ],
  [`POST ${V1}/render/renderer/{id}/cancel`]: [
    'cancelRender',
    'Cancels a render. A render that has ended does not change.',
    OWN,
  ],
};
