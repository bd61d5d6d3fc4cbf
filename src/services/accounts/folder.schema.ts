// The forms of folder requests and answers.
import { type Static, Type } from 'typebox';
import { Named, NamedExact, Nullable, Timestamp } from '../schema.ts';
import { Name } from './names.ts';

const FolderIdText = Type.String({ maxLength: 64, description: 'Folder id, `fld_…`' });

export const FolderParams = Type.Object({ id: FolderIdText });

export const CreateFolderBody = NamedExact('FolderInput', 'The folder to make', {
  name: Name,
  parentId: Type.Optional(Nullable(FolderIdText)),
  teamId: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 64,
        description: 'A team you are in; null or your personal team: your own. Absent: the active workspace',
      }),
    ),
  ),
});
export type CreateFolderBody = Static<typeof CreateFolderBody>;

export const ChangeFolderBody = NamedExact('FolderChanges', 'What to change of a folder', {
  name: Type.Optional(Name),
  parentId: Type.Optional(Nullable(FolderIdText)),
});
export type ChangeFolderBody = Static<typeof ChangeFolderBody>;

export const RemoveFolderQuery = Type.Object({
  recursive: Type.Optional(Type.Boolean({ default: false, description: 'Delete the subfolders too' })),
});

export const Folder = Named('Folder', 'A place for workflows', {
  id: Type.String(),
  name: Type.String(),
  parentId: Nullable(Type.String()),
  teamId: Nullable(Type.String()),
  workflowCount: Type.Integer({ description: 'Directly in it' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const FolderList = Type.Array(Folder);
