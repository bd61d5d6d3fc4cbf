// Renders the choice of a table: pasted cells or a file, and the column for each input.

import FileUp from 'icon:file-up';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Table as UploadedTable } from '../../../../sdk/src/types.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { SelectField, TextArea } from '../../../kit/field.tsx';
import { FileInput } from '../../../kit/file-input.tsx';
import formStyles from '../../../kit/form.module.css';
import { Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import styles from './batch.module.css';
import { listEncodings } from './encodings.ts';
import { messages } from './messages.ts';
import { Problems } from './problems.tsx';
import { guessKey, guessMapping, PASTED_FILE, type Source, toTableFile } from './source.ts';

const SAMPLE_ROWS = 3;

interface LoadedTable {
  readonly name: string;
  readonly table: UploadedTable;
  readonly mapping: Readonly<Record<string, string>>;
  readonly key: string;
}

interface TableFile {
  readonly file: File;
  readonly delimiter?: string | undefined;
  /** Undefined if the service detects it. */
  readonly encoding?: string | undefined;
}

const isPasted = ({ name }: File): boolean => name === PASTED_FILE;

interface TableSourceProps {
  readonly inputs: readonly GraphNode[];
  readonly onChange: (source: Source | undefined) => void;
}

export function TableSource({ inputs, onChange }: TableSourceProps) {
  const [text, setText] = useState('');
  const [isOver, setIsOver] = useState(false);
  const [loaded, setLoaded] = useState<LoadedTable>();
  const change = (next: LoadedTable | undefined): void => {
    setLoaded(next);
    onChange(next === undefined ? undefined : toSource(next));
  };
  const upload = useMutation({
    mutationFn: ({ file, delimiter, encoding }: TableFile) => {
      const form = new FormData();
      form.set('file', file);
      return api.post('/tables', form, { query: { delimiter, encoding } });
    },
    onMutate: () => change(undefined),
  });
  const read = (source: TableFile): void =>
    upload.mutate(source, {
      // Skipped if another upload has started, or if the user has switched to combinations and removed this form.
      onSuccess: (table, { file }) => {
        const mapping = guessMapping(inputs, table.columns);
        const name = isPasted(file) ? messages.pasted : file.name;
        change({ name, table, mapping, key: guessKey(table.columns, mapping) });
      },
    });
  const readFirst = ([file]: Iterable<File>): void => {
    if (file !== undefined) read({ file });
  };
  if (inputs.length === 0) return <p className={formStyles.muted}>{messages.noInputs}</p>;
  return (
    <div className={formStyles.fields}>
      <TextArea
        label={messages.cells}
        hint={messages.cellsHint}
        rows={5}
        value={text}
        spellCheck={false}
        onChange={({ target }) => setText(target.value)}
        onPaste={event => {
          const pasted = event.clipboardData.getData('text/plain');
          if (text !== '' || pasted === '') return;
          event.preventDefault();
          setText(pasted);
          read(toTableFile(pasted));
        }}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button does the same */}
      <div
        className={styles.drop}
        data-over={isOver || undefined}
        onDragOver={event => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={event => {
          event.preventDefault();
          event.stopPropagation();
          setIsOver(false);
          readFirst(event.dataTransfer.files);
        }}
      >
        <Button
          disabled={text.trim() === ''}
          isBusy={upload.isPending}
          onClick={() => read(toTableFile(text))}
        >
          {messages.read}
        </Button>
        <FileInput accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/*" onFiles={readFirst}>
          {openPicker => (
            <Button icon={FileUp} onClick={openPicker}>
              {messages.choose}
            </Button>
          )}
        </FileInput>
        <span>{messages.drop}</span>
      </div>
      {upload.error && <Failure error={upload.error} />}
      {upload.variables && !isPasted(upload.variables.file) && (
        <SelectField
          label={messages.encoding}
          value={upload.variables.encoding ?? loaded?.table.encoding ?? ''}
          options={listEncodings(upload.variables.encoding ?? loaded?.table.encoding)}
          disabled={upload.isPending}
          onChange={({ target }) =>
            upload.variables && read({ file: upload.variables.file, encoding: target.value || undefined })
          }
        />
      )}
      {loaded && <Mapping inputs={inputs} loaded={loaded} onChange={change} />}
    </div>
  );
}

/** Returns the source, or undefined if the rows cannot run yet. */
function toSource({ table, mapping, key }: LoadedTable): Source | undefined {
  if (table.problems.length > 0 || Object.keys(mapping).length === 0) return undefined;
  return { tableId: table.tableId, mapping, ...(key === '' ? {} : { keyColumn: key }) };
}

interface MappingProps {
  readonly inputs: readonly GraphNode[];
  readonly loaded: LoadedTable;
  readonly onChange: (loaded: LoadedTable) => void;
}

function Mapping({ inputs, loaded, onChange }: MappingProps) {
  const { table, mapping, key } = loaded;
  const setColumn = (nodeId: string, column: string): void => {
    const { [nodeId]: _, ...others } = mapping;
    onChange({ ...loaded, mapping: column === '' ? others : { ...others, [nodeId]: column } });
  };
  const sample = table.sample.slice(0, SAMPLE_ROWS).map((cells, index) => ({ cells, index }));
  const columns = table.columns.map(column => [column, column] as const);
  return (
    <>
      <p role="status" className={formStyles.muted}>
        {messages.tableSummary(loaded.name, table.total, table.columns.length)}
      </p>
      {table.problems.length > 0 && (
        <Problems
          problems={table.problems.map(({ line, message }) => ({
            id: `${line} ${message}`,
            message: `Line ${line}: ${message}`,
          }))}
        />
      )}
      <div className={styles.sample}>
        <Table
          label={messages.firstRows}
          rows={sample}
          getKey={({ index }) => index}
          columns={[
            { title: messages.row, cell: ({ index }) => index + 1 },
            ...table.columns.map((title, column) => ({
              title,
              cell: ({ cells }: (typeof sample)[number]) => <span>{toText(cells[column])}</span>,
            })),
          ]}
        />
      </div>
      <fieldset className={styles.mapping}>
        <legend>{messages.mapping}</legend>
        {inputs.map(({ id, data }) => (
          <SelectField
            key={id}
            label={data.label}
            value={mapping[id] ?? ''}
            onChange={({ target }) => setColumn(id, target.value)}
            options={[['', messages.fromBoard], ...columns]}
          />
        ))}
        <SelectField
          label={messages.key}
          value={key}
          onChange={({ target }) => onChange({ ...loaded, key: target.value })}
          options={[['', messages.rowNumber], ...columns]}
        />
      </fieldset>
      {Object.keys(mapping).length === 0 && <p className={formStyles.muted}>{messages.noMapping}</p>}
    </>
  );
}

const toText = (cell: unknown): string =>
  typeof cell === 'string' ? cell : cell === undefined ? '' : JSON.stringify(cell);
