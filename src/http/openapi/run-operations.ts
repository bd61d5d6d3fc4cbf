// What the document says of runs, executions, webhooks, media and renders.
import type { OperationLines } from './operation.ts';

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
/** What a file may be refused for. */
export const FILE = [
  'file_too_large',
  'storage_quota_exceeded',
  'unsupported_type',
  'unreadable_image',
  'unreadable_media',
  'empty_file',
] as const;
const WAIT =
  'Answers 202 as soon as the run is stored; it goes on whatever becomes of the connection. With `Prefer: wait=N` the ' +
  'answer is 200 and the record, where the run ends within N seconds (60 at most). With `Idempotency-Key` the request can ' +
  'be sent again for 24 hours and starts one run.';

export const RUN_OPERATIONS: OperationLines = {
  [`POST ${V1}/workflows/{id}/run`]: [
    'runWorkflow',
    `Starts a run of the graph as it stands. ${WAIT} A \`webhook\` is sent the outcome.`,
    [...START, 'invalid_webhook'],
  ],
  [`POST ${V1}/workflows/{id}/execute`]: [
    'executeWorkflow',
    `As \`run\`, without a webhook, and counted in executions per minute. ${WAIT}`,
    START,
  ],
  [`POST ${V1}/executions/{id}/resume`]: [
    'resumeExecution',
    'A waiting run is decided by `decision` and goes on. One that ended starts again under a new id with `resumedFromId`, ' +
      `and reuses every node that is unchanged, at no charge. ${WAIT}`,
    [...START, 'invalid_webhook', 'not_resumable'],
  ],
  [`POST ${V1}/workflows/{id}/estimate`]: [
    'estimateRun',
    'What a run would cost, node by node, and what there is to pay with. `exact` is false where a price is known only later.',
    [...OWN, 'invalid_graph', 'invalid_inputs', 'cyclic_graph'],
  ],
  [`GET ${V1}/workflows/{id}/executions`]: [
    'listWorkflowExecutions',
    'Newest first, without node states, inputs and outputs.',
    OWN,
  ],
  [`GET ${V1}/executions`]: ['listExecutions', 'Those that you started, newest first, without node states.'],
  [`GET ${V1}/executions/{id}`]: [
    'getExecution',
    'The complete record: status, node states, outputs, credits, webhook.',
    OWN,
  ],
  [`DELETE ${V1}/executions/{id}`]: [
    'deleteExecution',
    'Removes the record of a run that has ended. Its media stay.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/executions/{id}/outputs/{nodeId}`]: [
    'getNodeOutputs',
    'The state of one node with its values whole, also where the execution has them `truncated`.',
    OWN,
  ],
  [`GET ${V1}/executions/{id}/workflow`]: ['getExecutionGraph', 'The graph that the run executes.', OWN],
  [`GET ${V1}/executions/{id}/events`]: [
    'streamExecution',
    'Server-sent events. The first is `snapshot`, the complete record; then `node`, `execution` and `progress` as things ' +
      'change, and a comment every 15 s; the stream ends with the run. `data` of each event is JSON. Ids increase: with ' +
      '`Last-Event-ID` the stream goes on after that event, and answers 204 where nothing is left. `progress` events have no id. An account has at most 20 streams open a process, an address 200.',
    [...OWN, 'too_many_streams'],
  ],
  [`POST ${V1}/executions/{id}/cancel`]: [
    'cancelExecution',
    'Asks whoever runs it to stop; what had finished stays and is charged. Of a run that has ended, nothing changes.',
    OWN,
  ],

  [`GET ${V1}/executions/{id}/deliveries`]: [
    'listDeliveries',
    'Each attempt with its time, status code and the first KB of the answer.',
    OWN,
  ],
  [`POST ${V1}/executions/{id}/deliveries/{deliveryId}/redeliver`]: [
    'redeliver',
    'Sends the event again, with the same `eventId`.',
    [...OWN, 'conflict'],
  ],
  [`POST ${V1}/webhooks/test`]: [
    'testWebhook',
    'Sends a signed sample and says what the receiver answered.',
    ['invalid_webhook'],
  ],

  'POST /hooks/{provider}/{token}': [
    'receiveProviderHook',
    'Where a provider says that a job has ended. It wakes the run, which asks the provider for the result.',
    ['not_found', 'unauthorized', 'forbidden'],
  ],

  [`POST ${V1}/media/upload`]: [
    'uploadMedia',
    'By multipart form (up to 4 MB, the hints before the file), by `dataUrl` (3 MB of file), or by `url`, which the service ' +
      'fetches (25 MB). The content must be what its type says. SVG is rebuilt from an allowlist.',
    ['forbidden', ...FILE, 'fetch_failed', 'invalid_svg', 'svg_too_complex', 'upload_busy'],
  ],
  [`POST ${V1}/media/upload-url`]: [
    'mintUpload',
    'For larger files: `PUT` the bytes to `uploadUrl` with exactly its `headers` within 15 minutes, then complete it.',
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
    'Looks at what was put there and makes it a media file. Safe to send again.',
    [...FILE, 'invalid_media_id', 'upload_not_found', 'upload_busy'],
  ],
  [`GET ${V1}/media`]: [
    'listMedia',
    'Of the active workspace, newest first: uploads, unless `origin` asks for others.',
  ],
  [`GET ${V1}/media/{id}`]: ['getMedia', 'One media file: its address, type, size and name.', OWN],
  [`GET ${V1}/media/{id}/uses`]: [
    'listMediaUses',
    'Workflows and their nodes, publications, and executions that made it or used what another made; of those that you may see.',
    OWN,
  ],
  [`DELETE ${V1}/media/{id}`]: [
    'deleteMedia',
    'Refused while workflows use it, unless `force=true`.',
    [...OWN, 'media_in_use'],
  ],
  'GET /cdn/{mediaId}/{name}': [
    'downloadMedia',
    'The bytes, for a year in every cache. Takes `Range`; an SVG comes as an attachment.',
    ['not_found', 'range_not_satisfiable'],
    [206, 307],
  ],
  'PUT /uploads/{mediaId}': [
    'putUpload',
    'What a minted `uploadUrl` points to where media are on disk. The address is signed, over the headers too. Refusals ' +
      'are XML, as those of a bucket.',
    ['forbidden', 'not_found'],
  ],

  [`GET ${V1}/renderer/scene-graph`]: [
    'getSceneGraphContract',
    'How to author a video: a guide and the JSON Schema that holds at run time.',
  ],
  [`GET ${V1}/renderer/templates`]: ['listVideoTemplates', 'The compositions that your account may use.'],
  [`GET ${V1}/renderer/templates/{id}`]: [
    'getVideoTemplate',
    'One composition, with the slots that its default props have.',
    ['not_found'],
  ],
  [`GET ${V1}/renderer/templates/{id}/thumbnail`]: [
    'getVideoTemplateThumbnail',
    'A still of the composition, as WebP.',
    ['unauthorized', ...OWN],
  ],
  [`POST ${V1}/render/renderer/preview`]: [
    'previewRender',
    'Stills are drawn at once; `format: "mp4"` starts a clip and answers 202. Costs no credits.',
    [...OWN, 'invalid_scene_graph', 'storage_quota_exceeded', 'render_busy', 'codec_failed'],
  ],
  [`GET ${V1}/render/renderer/{id}`]: [
    'getRender',
    'The clip as it stands, and its address once it is done.',
    OWN,
  ],
  [`POST ${V1}/render/renderer/{id}/cancel`]: ['cancelRender', 'One that has ended stays as it is.', OWN],
};
