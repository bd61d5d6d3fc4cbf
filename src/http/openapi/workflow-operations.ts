// Describes the operations of workflows, the catalog, templates, folders and sharing.
import type { OperationTable } from './operation.ts';
import { FILE } from './run-operations.ts';

const V1 = '/api/v1';
const GRAPH = ['invalid_graph', 'field_not_writable'] as const;
const OWN = ['forbidden', 'not_found'] as const;
const FOLDER = ['folder_workspace_mismatch', 'folder_cycle'] as const;

export const WORKFLOW_OPERATIONS: OperationTable = {
  [`GET ${V1}/nodes`]: [
    'listNodes',
    'Returns all node types with their ports, config fields, defaults and prices. Hidden types (variants, deprecated types, providers without an API key) are included with `includeHidden=1`. Types that cannot run on this instance have `isAvailable: false`. The response is cached for an hour. Requires no key.',
  ],
  [`GET ${V1}/models`]: [
    'listModels',
    'Returns the entries of `GET /nodes` that are models. With `includeHidden=1`, models of providers that are not configured are included, with their prices and `isAvailable: false`.',
  ],

  [`GET ${V1}/workflows`]: [
    'listWorkflows',
    'Returns an array of workflows. If there are more, the `Link` header contains the URL of the next page. `teamId` lists the workflows of a team that you are a member of.',
    OWN,
  ],
  [`POST ${V1}/workflows`]: [
    'createWorkflow',
    'Creates a workflow. The graph is linted: a graph with errors is refused with `invalid_graph` and `issues`, and warnings are returned in `meta.warnings`. If the body has the `id` of an existing workflow, that workflow is updated.',
    [...GRAPH, ...FOLDER, ...OWN],
  ],
  [`GET ${V1}/workflows/{id}`]: [
    'getWorkflow',
    'Returns a workflow. Owners and editors receive all properties. Other readers receive the workflow without secrets, so some properties are absent. Send the `ETag` as `If-None-Match` here, or as `If-Match` with the next update.',
    ['unauthorized', ...OWN],
  ],
  [`PUT ${V1}/workflows/{id}`]: [
    'updateWorkflow',
    'Changes the properties that are sent and leaves the others as they are. With `If-Match`, or with the `updatedAt` that you last read, the update is refused with `stale_write` if the workflow has changed since.',
    [...GRAPH, ...FOLDER, ...OWN, 'stale_write', 'board_too_large'],
  ],
  [`POST ${V1}/workflows/{id}/restore`]: [
    'undeleteWorkflow',
    'Restores a workflow that was deleted less than 24 hours ago, including whether it was active. Requires the permission to delete it. After 24 hours, an administrator can restore it.',
    OWN,
  ],
  [`DELETE ${V1}/workflows/{id}`]: [
    'deleteWorkflow',
    'Deactivates a workflow and marks it as deleted. An administrator can restore it. Requires ownership.',
    OWN,
  ],
  [`GET ${V1}/workflows/{id}/export`]: [
    'exportWorkflow',
    'Returns a file with the graph, without secrets. Import it with `POST /workflows/import` into this or another instance.',
    ['unauthorized', ...OWN],
  ],
  [`POST ${V1}/workflows/import`]: [
    'importWorkflow',
    'Creates a workflow from an exported file, including its media.',
    [
      ...GRAPH,
      ...FILE,
      'forbidden',
      'fetch_failed',
      'invalid_svg',
      'svg_too_complex',
      'upload_busy',
      'upload_budget_exceeded',
    ],
  ],
  [`POST ${V1}/workflows/lint`]: [
    'lintGraph',
    'Returns the errors and warnings of a graph without storing it.',
  ],
  [`POST ${V1}/workflows/{id}/lint`]: [
    'lintWorkflow',
    'Returns the errors and warnings of the stored graph. Properties in the body replace the stored ones.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/layout`]: [
    'layoutWorkflow',
    'Arranges the nodes as the editor does, or only the nodes in `scope`, and stores their positions.',
    [...OWN, 'board_too_large', 'invalid_graph'],
  ],
  [`POST ${V1}/workflows/{id}/heartbeat`]: [
    'markEditing',
    'Reports that an editor has the board open. Automatic layout skips the workflow for the next 30 s.',
    OWN,
  ],
  [`PUT ${V1}/workflows/{id}/selection`]: [
    'selectNodes',
    'Shows your selected nodes to the other people who have the workflow open: its event stream includes them as `selected` in `presence` while you follow it. The workflow itself does not change.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/visibility`]: [
    'setVisibility',
    'Sets who may read or duplicate the workflow by its link.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/publish`]: [
    'publishWorkflow',
    'Publishes the current version. It stays public until you publish again or unpublish. Requires ownership.',
    [...OWN, 'slug_taken'],
  ],
  [`PUT ${V1}/workflows/{id}/budget`]: [
    'setBudget',
    'Sets the daily budget of a workflow. A run that would exceed the budget of the UTC day is refused with `daily_budget_exceeded`. Requires ownership.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/duplicate`]: [
    'duplicateWorkflow',
    'Copies the graph, without secrets, into your active workspace.',
    [...OWN, 'folder_workspace_mismatch', 'storage_quota_exceeded'],
  ],
  [`POST ${V1}/admin/workflows/{id}/restore`]: [
    'restoreWorkflow',
    'Restores a deleted workflow. It stays inactive.',
    ['not_found', 'conflict'],
  ],

  [`GET ${V1}/workflows/{id}/events`]: [
    'followWorkflow',
    'Streams server-sent events. `changed` has `version`, `updatedAt`, and the `userId` and `sessionId` of the author of the change. `presence` has the `users` who follow the workflow. Each event is first sent with the current state. A comment is sent every 15 s. The stream ends when the workflow is deleted or you may no longer read it. Each process allows 20 open streams per account and 200 per address.',
    [...OWN, 'too_many_streams'],
  ],
  [`GET ${V1}/workflows/{id}/versions`]: [
    'listVersions',
    'Returns the versions of a workflow. Every write that changes the graph creates a numbered version.',
    OWN,
  ],
  [`GET ${V1}/workflows/{id}/versions/{version}`]: ['getVersion', 'Returns a version with its graph.', OWN],
  [`POST ${V1}/workflows/{id}/versions/{version}/restore`]: [
    'restoreVersion',
    'Saves the graph of an earlier version as a new version.',
    [...OWN, ...GRAPH],
  ],

  [`GET ${V1}/workflows/{id}/permissions`]: [
    'listPermissions',
    'Returns the people whom the workflow is shared with.',
    OWN,
  ],
  [`PUT ${V1}/workflows/{id}/permissions`]: [
    'shareWorkflow',
    'Shares a workflow with a person by `email`, or with a member of one of your teams by `userId`. The response to an email is the same whether or not an account uses it: `userId` and `name` are null until the person has opened the workflow. If the workflow is already shared with the person, the role is replaced.',
    [...OWN, 'conflict'],
  ],
  [`DELETE ${V1}/workflows/{id}/permissions/{person}`]: [
    'unshareWorkflow',
    'Stops sharing the workflow with a user or an email.',
    OWN,
  ],

  [`GET ${V1}/templates`]: [
    'listTemplates',
    'Returns the workflows that are published as templates, including your own. Requires no key.',
  ],
  [`GET ${V1}/published/{slug}`]: [
    'getPublished',
    'Returns the published version of a workflow, without secrets. Later changes are not included. Requires no key.',
    ['not_found'],
  ],

  [`GET ${V1}/folders`]: [
    'listFolders',
    'Returns an array of folders. If there are more, the `Link` header contains the URL of the next page.',
    OWN,
  ],
  [`POST ${V1}/folders`]: [
    'createFolder',
    'Creates a folder in your active workspace, or in the team `teamId`.',
    [...OWN, ...FOLDER],
  ],
  [`GET ${V1}/folders/{id}`]: ['getFolder', 'Returns a folder and the number of workflows in it.', OWN],
  [`PATCH ${V1}/folders/{id}`]: [
    'updateFolder',
    'Changes the name or the parent of a folder.',
    [...OWN, ...FOLDER],
  ],
  [`DELETE ${V1}/folders/{id}`]: [
    'deleteFolder',
    'Deletes a folder. Its workflows move to the root. A folder with subfolders is deleted only with `recursive=true`.',
    [...OWN, 'folder_not_empty'],
  ],
};
