// What the document says of workflows, the catalog, templates, folders and sharing.
import type { OperationLines } from './operation.ts';
import { FILE } from './run-operations.ts';

const V1 = '/api/v1';
const GRAPH = ['invalid_graph', 'field_not_writable'] as const;
const OWN = ['forbidden', 'not_found'] as const;
const FOLDER = ['folder_workspace_mismatch', 'folder_cycle'] as const;

export const WORKFLOW_OPERATIONS: OperationLines = {
  [`GET ${V1}/nodes`]: [
    'listNodes',
    'Every node type with its ports, config fields, defaults and price. Hidden ones (variants, deprecated types, ' +
      'providers without a key) come with `includeHidden=1`; those that cannot run here have `isAvailable: false`. ' +
      'Cached for an hour; needs no key.',
  ],
  [`GET ${V1}/models`]: [
    'listModels',
    'The same entries as `GET /nodes`, those of models alone. With `includeHidden=1` also models of providers that are ' +
      'not configured, with their prices and `isAvailable: false`.',
  ],

  [`GET ${V1}/workflows`]: [
    'listWorkflows',
    'A bare array. Where more follow, the `Link` header names the next page. `teamId` lists a team’s workflows to its members.',
    OWN,
  ],
  [`POST ${V1}/workflows`]: [
    'createWorkflow',
    'The graph is linted: errors refuse it with `invalid_graph` and `issues`, warnings come in `meta.warnings`. With the ' +
      '`id` of a workflow there is, that one is saved over.',
    [...GRAPH, ...FOLDER, ...OWN],
  ],
  [`GET ${V1}/workflows/{id}`]: [
    'getWorkflow',
    'Owners and editors get all of it. Others, where the link permission lets them read, get it without secrets: some ' +
      'members are then absent. The `ETag` serves `If-None-Match` here and `If-Match` at the next change.',
    ['unauthorized', ...OWN],
  ],
  [`PUT ${V1}/workflows/{id}`]: [
    'updateWorkflow',
    'Changes the fields that are sent and leaves all others. `If-Match`, or `updatedAt` as it was read, refuses with ' +
      '`stale_write` where somebody else wrote meanwhile.',
    [...GRAPH, ...FOLDER, ...OWN, 'stale_write', 'board_too_large'],
  ],
  [`POST ${V1}/workflows/{id}/restore`]: [
    'undeleteWorkflow',
    'For whoever may delete it, within 24 hours. It is as active as it was. Later, an administrator can recover it.',
    OWN,
  ],
  [`DELETE ${V1}/workflows/{id}`]: [
    'deleteWorkflow',
    'Needs ownership. It is switched off and marked; an administrator can restore it.',
    OWN,
  ],
  [`GET ${V1}/workflows/{id}/export`]: [
    'exportWorkflow',
    'One file with the graph and no secrets, for `POST /workflows/import` of this service or another.',
    ['unauthorized', ...OWN],
  ],
  [`POST ${V1}/workflows/import`]: [
    'importWorkflow',
    'Creates a workflow from an exported file, its media included.',
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
  [`POST ${V1}/workflows/lint`]: ['lintGraph', 'Finds errors and warnings in a graph and stores nothing.'],
  [`POST ${V1}/workflows/{id}/lint`]: [
    'lintWorkflow',
    'Lints the stored graph, or the members of the body in its place.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/layout`]: [
    'layoutWorkflow',
    'Arranges the board as the editor would, or only the nodes of `scope`, and stores the positions.',
    [...OWN, 'board_too_large', 'invalid_graph'],
  ],
  [`POST ${V1}/workflows/{id}/heartbeat`]: [
    'markEditing',
    'Says that an editor has the board open for the next 30 s: automatic layout leaves it alone.',
    OWN,
  ],
  [`PUT ${V1}/workflows/{id}/selection`]: [
    'selectNodes',
    'Its event stream shows them to its other members, as `selected` of `presence`, as long as you follow it. Nothing is written to the workflow.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/visibility`]: ['setVisibility', 'Who may read or copy it by its link.', OWN],
  [`POST ${V1}/workflows/{id}/publish`]: [
    'publishWorkflow',
    'The public sees the version that is current now, until it is published again or withdrawn. Needs ownership.',
    [...OWN, 'slug_taken'],
  ],
  [`PUT ${V1}/workflows/{id}/budget`]: [
    'setBudget',
    'A run that would pass it in a UTC day is refused with `daily_budget_exceeded`. Needs ownership.',
    OWN,
  ],
  [`POST ${V1}/workflows/{id}/duplicate`]: [
    'duplicateWorkflow',
    'Copies the graph without secrets into your active workspace.',
    [...OWN, 'folder_workspace_mismatch', 'storage_quota_exceeded'],
  ],
  [`POST ${V1}/admin/workflows/{id}/restore`]: [
    'restoreWorkflow',
    'Brings a deleted workflow back; it stays switched off.',
    ['not_found', 'conflict'],
  ],

  [`GET ${V1}/workflows/{id}/events`]: [
    'followWorkflow',
    'Server-sent events: `changed` with `version`, `updatedAt`, and the `userId` and `sessionId` of who wrote, `presence` ' +
      'with the `users` that follow it too. Each comes first as it stands. A comment every 15 s. The stream ends where the ' +
      'workflow is deleted, or the caller may not read it any more. An account has at most 20 streams open a process, an ' +
      'address 200.',
    [...OWN, 'too_many_streams'],
  ],
  [`GET ${V1}/workflows/{id}/versions`]: [
    'listVersions',
    'Every write that changes the graph keeps a numbered version.',
    OWN,
  ],
  [`GET ${V1}/workflows/{id}/versions/{version}`]: ['getVersion', 'One version with its graph.', OWN],
  [`POST ${V1}/workflows/{id}/versions/{version}/restore`]: [
    'restoreVersion',
    'Writes the graph of the version as a new one.',
    [...OWN, ...GRAPH],
  ],

  [`GET ${V1}/workflows/{id}/permissions`]: ['listPermissions', 'Everybody it is shared with.', OWN],
  [`PUT ${V1}/workflows/{id}/permissions`]: [
    'shareWorkflow',
    'With whoever has the `email`, now or later, or with a member of a team of yours by `userId`. The answer to an email does not depend on whether somebody has it: `userId` and `name` are null until that person has opened the workflow. Sent again with another role, it replaces the first.',
    [...OWN, 'conflict'],
  ],
  [`DELETE ${V1}/workflows/{id}/permissions/{person}`]: [
    'unshareWorkflow',
    'Ends the share with one user or email.',
    OWN,
  ],

  [`GET ${V1}/templates`]: [
    'listTemplates',
    'Published workflows that are offered as templates, and your own. Needs no key.',
  ],
  [`GET ${V1}/published/{slug}`]: [
    'getPublished',
    'The version that was published, frozen, without secrets. Needs no key.',
    ['not_found'],
  ],

  [`GET ${V1}/folders`]: ['listFolders', 'A bare array; the `Link` header names the next page.', OWN],
  [`POST ${V1}/folders`]: [
    'createFolder',
    'In your active workspace, or in the team of `teamId`.',
    [...OWN, ...FOLDER],
  ],
  [`GET ${V1}/folders/{id}`]: ['getFolder', 'One folder and how many workflows are in it.', OWN],
  [`PATCH ${V1}/folders/{id}`]: [
    'updateFolder',
    'Changes the name, or the folder it is in.',
    [...OWN, ...FOLDER],
  ],
  [`DELETE ${V1}/folders/{id}`]: [
    'deleteFolder',
    'Its workflows go to the root. One with subfolders needs `recursive=true`.',
    [...OWN, 'folder_not_empty'],
  ],
};
