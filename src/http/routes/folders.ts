// Routes of folders.

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
import { created, documented, done } from '../route.ts';
import { nextLink } from './workflows.ts';

const about = documented('Folders');

export function registerFolders(app: App, deps: Deps): void {
  app.get(
    '/api/v1/folders',
    about('List the folders of the active workspace', { 200: FolderList }, { querystring: ArrayQuery }),
    async (req, reply) => {
      const { data, nextCursor } = await listActiveFolders(deps, req.actor, req.query);
      if (nextCursor !== null) reply.header('link', nextLink(deps, req.url, nextCursor));
      return data;
    },
  );
  app.post(
    '/api/v1/folders',
    about('Create a folder', { 201: Folder }, { body: CreateFolderBody }),
    async (req, reply) => {
      const folder = await createFolder(deps, req.actor, req.body);
      return created(deps, reply, `/api/v1/folders/${folder.id}`).send(folder);
    },
  );
  app.get('/api/v1/folders/:id', about('Read a folder', { 200: Folder }, { params: FolderParams }), req =>
    readFolder(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/folders/:id',
    about('Rename or move a folder', { 200: Folder }, { params: FolderParams, body: ChangeFolderBody }),
    req => changeFolder(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/folders/:id',
    about('Delete a folder', { 200: Success }, { params: FolderParams, querystring: RemoveFolderQuery }),
    req => done(removeFolder(deps, req.actor, req.params.id, req.query)),
  );
}
