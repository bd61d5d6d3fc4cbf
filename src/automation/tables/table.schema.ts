// Defines the schemas of tables: requests and responses.
import { Type } from 'typebox';
import { PageSchema } from '../../services/paging.ts';
import { IdParams, Named, Nullable, Timestamp } from '../../services/schema.ts';
import { DELIMITERS, TABLE_FORMATS } from './store.ts';

export const TableQuery = Type.Object({
  format: Type.Optional(Type.Enum(TABLE_FORMATS, { description: 'Default: found from the content' })),
  delimiter: Type.Optional(Type.Enum(DELIMITERS, { description: 'Default: found from the content' })),
  encoding: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'A name of the Encoding Standard of WHATWG, such as `windows-1252`, `macintosh`, `shift_jis` or `gb18030`. Default: the `charset` of the content type, else found from the content. Instead of the charsets `us-ascii`, `iso-8859-1`, `iso-8859-15` and `windows-1252`, which HTTP libraries add by default, UTF-8 is used if the bytes are valid UTF-8',
    }),
  ),
});

export const TableParams = IdParams('Table ID, `tbl_…`');

export const Table = Named('Table', 'A table that was uploaded for a batch', {
  tableId: Type.String(),
  format: Type.Enum(TABLE_FORMATS),
  delimiter: Nullable(Type.Enum(DELIMITERS)),
  encoding: Type.String({ description: 'Such as `utf-8`, `utf-16le`, `windows-1252` or `shift_jis`' }),
  columns: Type.Array(Type.String()),
  total: Type.Integer({ description: 'The number of rows' }),
  sample: Type.Array(Type.Array(Type.Unknown()), { description: 'The first 20 rows. Long cells are cut.' }),
  problems: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'The line of the file, from 1' }),
      message: Type.String(),
    }),
    { description: 'Rows that cannot be used. A batch over such a table is refused.' },
  ),
});

const TableListItem = Named('TableListItem', 'A table in a list', {
  tableId: Type.String(),
  format: Type.Enum(TABLE_FORMATS),
  delimiter: Nullable(Type.Enum(DELIMITERS)),
  encoding: Type.String(),
  total: Type.Integer({ description: 'The number of rows' }),
  bytes: Type.Integer({ description: 'What the table takes of your storage' }),
  isUsed: Type.Boolean({
    description:
      'Whether a batch over the table was accepted. Such a table does not count toward the limits of tables.',
  }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
export const TablePage = PageSchema(TableListItem);
