// Registers the routes for folders.
import { Success } from '../../services/accounts/account.schema.ts';
import {
  ChangeFolderBody,
  CreateFolderBody,
  Folder,
  FolderList,
  FolderParams,
  RemoveFolderQuery,
} from '../../services/accounts/folder.schema.ts';
import {
  changeFolder,
  createFolder,
  deleteFolder,
  listWorkspaceFolders,
  readFolder,
} from '../../services/accounts/folders.ts';
import type { Deps } from '../../services/deps.ts';
import { ArrayQuery } from '../../services/paging.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';
import { createNextLink, FOLDER_ERRORS } from './workflows.ts';

const operation = createDescriber('Folders');

export function registerFolders(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/folders',
    operation('listFolders', 'workflows:read', {
      summary: 'List the folders of the active workspace',
      description:
        'Returns an array of folders. If there are more, the `Link` header contains the URL of the next page.',
      errors: RESOURCE_ERRORS,
      querystring: ArrayQuery,
      response: { 200: FolderList },
      responseHeaders: ['Link'],
    }),
    async (req, reply) => {
      const { data, nextCursor } = await listWorkspaceFolders(deps, req.actor, req.query);
      if (nextCursor !== null) reply.header('link', createNextLink(deps, req.url, nextCursor));
      return data;
    },
  );
  server.post(
    '/api/v1/folders',
    operation('createFolder', 'workflows:write', {
      summary: 'Create a folder',
      description: 'Creates a folder in your active workspace, or in the team `teamId`.',
      errors: [...RESOURCE_ERRORS, ...FOLDER_ERRORS],
      body: CreateFolderBody,
      response: { 201: Folder },
    }),
    async (req, reply) => {
      const folder = await createFolder(deps, req.actor, req.body);
      return setCreated(deps, reply, `/api/v1/folders/${folder.id}`).send(folder);
    },
  );
  server.get(
    '/api/v1/folders/:id',
    operation('getFolder', 'workflows:read', {
      summary: 'Read a folder',
      description: 'Returns a folder and the number of workflows in it.',
      params: FolderParams,
      response: { 200: Folder },
    }),
    req => readFolder(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/folders/:id',
    operation('updateFolder', 'workflows:write', {
      summary: 'Rename or move a folder',
      description: 'Changes the name or the parent of a folder.',
      errors: [...RESOURCE_ERRORS, ...FOLDER_ERRORS],
      params: FolderParams,
      body: ChangeFolderBody,
      response: { 200: Folder },
    }),
    req => changeFolder(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/folders/:id',
    operation('deleteFolder', 'workflows:write', {
      summary: 'Delete a folder',
      description:
        'Deletes a folder. Its workflows move to the root. A folder with subfolders is deleted only with `recursive=true`.',
      errors: [...RESOURCE_ERRORS, 'folder_not_empty'],
      params: FolderParams,
      querystring: RemoveFolderQuery,
      response: { 200: Success },
    }),
    req => toSuccess(deleteFolder(deps, req.actor, req.params.id, req.query)),
  );
}
