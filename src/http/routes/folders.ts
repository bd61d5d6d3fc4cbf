// Folders over HTTP.

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
  listActiveFolders,
  readFolder,
  removeFolder,
} from '../../services/accounts/folders.ts';
import type { Deps } from '../../services/deps.ts';
import { ArrayQuery } from '../../services/paging.ts';
import type { App } from '../app.ts';
import { created } from '../created.ts';
import { nextLink } from './workflows.ts';

const tags = ['Folders'];

export function registerFolders(app: App, deps: Deps): void {
  app.get(
    '/api/v1/folders',
    {
      schema: {
        tags,
        summary: 'List the folders of the active workspace',
        querystring: ArrayQuery,
        response: { 200: FolderList },
      },
    },
    async (req, reply) => {
      const { data, nextCursor } = await listActiveFolders(deps, req.actor, req.query);
      if (nextCursor !== null) reply.header('link', nextLink(deps, req.url, nextCursor));
      return data;
    },
  );
  app.post(
    '/api/v1/folders',
    { schema: { tags, summary: 'Create a folder', body: CreateFolderBody, response: { 201: Folder } } },
    async (req, reply) => {
      const folder = await createFolder(deps, req.actor, req.body);
      return created(deps, reply, `/api/v1/folders/${folder.id}`).send(folder);
    },
  );
  app.get(
    '/api/v1/folders/:id',
    { schema: { tags, summary: 'Read a folder', params: FolderParams, response: { 200: Folder } } },
    req => readFolder(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/folders/:id',
    {
      schema: {
        tags,
        summary: 'Rename or move a folder',
        params: FolderParams,
        body: ChangeFolderBody,
        response: { 200: Folder },
      },
    },
    req => changeFolder(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/folders/:id',
    {
      schema: {
        tags,
        summary: 'Delete a folder; its workflows go to the root',
        params: FolderParams,
        querystring: RemoveFolderQuery,
        response: { 200: Success },
      },
    },
    async req => {
      await removeFolder(deps, req.actor, req.params.id, req.query);
      return { success: true };
    },
  );
}
