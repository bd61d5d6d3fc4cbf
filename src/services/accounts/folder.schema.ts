// Defines the schemas of requests and responses about folders.
import { type Static, Type } from 'typebox';
import { Id, Named, NamedExact, Nullable, Timestamp } from '../schema.ts';
import { Name } from './names.ts';

const FolderIdText = Id('Folder ID, `fld_…`');

export const FolderParams = Type.Object({ id: FolderIdText });

export const CreateFolderBody = NamedExact('FolderInput', 'The folder to create', {
  name: Name,
  parentId: Type.Optional(Nullable(FolderIdText)),
  teamId: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 64,
        description:
          'A team that you belong to; null or your personal team for your own workspace. Default: the active workspace',
      }),
    ),
  ),
});
export type CreateFolderBody = Static<typeof CreateFolderBody>;

export const ChangeFolderBody = NamedExact('FolderChanges', 'The fields of a folder to change', {
  name: Type.Optional(Name),
  parentId: Type.Optional(Nullable(FolderIdText)),
});
export type ChangeFolderBody = Static<typeof ChangeFolderBody>;

export const RemoveFolderQuery = Type.Object({
  recursive: Type.Optional(Type.Boolean({ default: false, description: 'Also delete the subfolders' })),
});

export const Folder = Named('Folder', 'A folder of workflows', {
  id: Type.String(),
  name: Type.String(),
  parentId: Nullable(Type.String()),
  teamId: Nullable(Type.String()),
  workflowCount: Type.Integer({ description: 'Number of workflows directly in the folder' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const FolderList = Type.Array(Folder);
