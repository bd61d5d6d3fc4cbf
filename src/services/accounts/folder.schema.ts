// The forms of folder requests and answers.
import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Answer, Named, Nullable, Timestamp } from '../workflows/workflow.schema.ts';
import { Name } from './names.ts';

const exact = { additionalProperties: false };
const FolderIdText = Type.String({ maxLength: 64, description: 'Folder id, `fld_…`' });

export const FolderParams = Type.Object({ id: FolderIdText });

export const CreateFolderBody = Named(
  'FolderInput',
  Type.Object(
    {
      name: Name,
      parentId: Type.Optional(Nullable(FolderIdText)),
      teamId: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 64,
            description:
              'A team you are in; null or your personal team: your own. Absent: the active workspace',
          }),
        ),
      ),
    },
    exact,
  ),
  'The folder to make',
);
export type CreateFolderBody = Static<typeof CreateFolderBody>;

export const ChangeFolderBody = Named(
  'FolderChanges',
  Type.Object({ name: Type.Optional(Name), parentId: Type.Optional(Nullable(FolderIdText)) }, exact),
  'What to change of a folder',
);
export type ChangeFolderBody = Static<typeof ChangeFolderBody>;

export const RemoveFolderQuery = Type.Object({
  recursive: Type.Optional(Type.Boolean({ default: false, description: 'Delete the subfolders too' })),
});

const FolderObject = Named(
  'Folder',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    parentId: Nullable(Type.String()),
    teamId: Nullable(Type.String()),
    workflowCount: Type.Integer({ description: 'Directly in it' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  'A place for workflows',
);
export const Folder = Answer(FolderObject);
export const FolderList = Answer(Type.Array(FolderObject));
