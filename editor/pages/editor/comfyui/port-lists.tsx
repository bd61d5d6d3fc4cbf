// Renders the values and results of a ComfyUI graph as lists, in which people choose inputs and outputs of the node.
import { useMemo, useRef, useState } from 'react';
import { type ApiGraph, getApiTitle } from '../../../../src/graph/comfyui/api-graph.ts';
import {
  type GraphResult,
  type GraphValue,
  listGraphResults,
  listGraphValues,
  VALUE_KINDS,
} from '../../../../src/graph/comfyui/graph-values.ts';
import { type ComfyOutput, getComfyInputs, getComfyOutputs } from '../../../../src/graph/comfyui/ports.ts';
import type { Json, JsonObject } from '../../../../src/graph/types.ts';
import { SelectField } from '../../../kit/field.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import { useEditor } from '../../../session/editor-context.tsx';
import styles from './comfyui.module.css';
import { messages } from './messages.ts';
import { findExposure, isFull, setComfyConfig, withExposure, withResult } from './port-edits.ts';
import { ResultRow, ValueRow } from './value-row.tsx';

/** More rows of other values are found by a search. */
const MAX_ROWS = 50;

interface ListProps {
  readonly nodeId: string;
  readonly config: JsonObject;
  readonly graph: ApiGraph;
}

/** Renders all inputs, outputs and seeds, suggestions first. */
export function PortLists({ nodeId, config, graph }: ListProps) {
  const values = useMemo(() => listGraphValues(graph), [graph]);
  const byKind = useMemo(() => Map.groupBy(values, ({ kind }) => kind), [values]);
  const setConfig = useSetConfig(nodeId);
  return (
    <>
      <section aria-label={messages.inputs}>
        <h3>{messages.inputs}</h3>
        <p className={styles.hint}>{messages.inputsHint}</p>
        {VALUE_KINDS.map(kind => {
          const ofKind = byKind.get(kind) ?? [];
          return (
            ofKind.length > 0 && (
              <div key={kind}>
                <h4>{messages.kinds[kind]}</h4>
                <ValueList nodeId={nodeId} config={config} values={ofKind} label={messages.kinds[kind]} />
              </div>
            )
          );
        })}
        <OtherValues nodeId={nodeId} config={config} values={values} />
      </section>
      <section aria-label={messages.outputs}>
        <h3>{messages.outputs}</h3>
        <Results nodeId={nodeId} config={config} graph={graph} />
      </section>
      <SelectField
        label={messages.seeds}
        value={config.seeds === 'random' ? 'random' : 'fixed'}
        options={messages.seedChoices}
        onChange={({ target }) => setConfig(messages.edits.seeds, { seeds: target.value })}
      />
    </>
  );
}

/** Renders the values and the result of one node of the graph. */
export function NodeValues({ nodeId, config, graph, innerId }: ListProps & { readonly innerId: string }) {
  const values = useMemo(
    () => listGraphValues(graph).filter(({ node }) => node === innerId),
    [graph, innerId],
  );
  return (
    <>
      {values.length === 0 ? (
        <p>{messages.noValues}</p>
      ) : (
        <ValueList nodeId={nodeId} config={config} values={values} label={messages.values} />
      )}
      <Results nodeId={nodeId} config={config} graph={graph} innerId={innerId} />
    </>
  );
}

/** Returns a function that edits the config of the node. Edits with the same key are one undo step. */
function useSetConfig(nodeId: string): (label: string, settings: JsonObject, key?: string) => void {
  const { store } = useEditor().session;
  return (label, settings, key) =>
    store.actions.perform(
      label,
      setComfyConfig(store.getState().board, nodeId, settings),
      key === undefined ? undefined : `comfyui ${nodeId} ${key}`,
    );
}

interface ValueListProps {
  readonly nodeId: string;
  readonly config: JsonObject;
  readonly values: readonly GraphValue[];
  readonly label: string;
}

function ValueList({ nodeId, config, values, label }: ValueListProps) {
  const setConfig = useSetConfig(nodeId);
  const inputs = getComfyInputs(config);
  return (
    <ul className={styles.rows} aria-label={label}>
      {values.map(value => {
        const exposed = findExposure(inputs, value);
        return (
          <ValueRow
            key={`${value.node} ${value.input}`}
            value={value}
            exposed={exposed}
            isFull={isFull(inputs)}
            onExpose={exposure =>
              setConfig(messages.edits.expose(value.label), {
                inputs: withExposure(config, value, exposure) as unknown as Json,
              })
            }
            onRename={newLabel =>
              setConfig(
                messages.edits.rename,
                {
                  inputs: inputs.map(input =>
                    input === exposed ? { ...input, label: newLabel } : input,
                  ) as unknown as Json,
                },
                `label ${exposed?.id}`,
              )
            }
          />
        );
      })}
    </ul>
  );
}

/** Renders the values that are not suggested: those that are inputs, and those that a search finds. */
function OtherValues({ nodeId, config, values }: Omit<ValueListProps, 'label'>) {
  const [search, setSearch] = useState('');
  const inputs = getComfyInputs(config);
  const toKey = ({ node, input }: GraphValue): string => `${node} ${input}`;
  // A row stays while the dialog is open, so that it keeps the focus.
  const seen = useRef(new Set<string>());
  for (const value of values) if (findExposure(inputs, value) !== undefined) seen.current.add(toKey(value));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = values.filter(value => {
    if (words.length === 0) return value.kind === undefined && seen.current.has(toKey(value));
    const text = `${value.label} ${value.input} ${value.title} ${String(value.value)}`.toLowerCase();
    return words.every(word => text.includes(word));
  });
  if (values.every(({ kind }) => kind !== undefined)) return null;
  return (
    <div>
      <h4>{messages.others}</h4>
      <SearchField
        label={messages.search}
        placeholder={messages.search}
        value={search}
        onChange={setSearch}
      />
      <ValueList
        nodeId={nodeId}
        config={config}
        values={matches.slice(0, MAX_ROWS)}
        label={messages.others}
      />
      {matches.length > MAX_ROWS && <p className={styles.hint}>{messages.more(matches.length - MAX_ROWS)}</p>}
      {isFull(inputs) && <p className={styles.hint}>{messages.full}</p>}
    </div>
  );
}

function Results({ nodeId, config, graph, innerId }: ListProps & { readonly innerId?: string }) {
  const setConfig = useSetConfig(nodeId);
  const outputs = getComfyOutputs(config);
  const known = useMemo(() => listGraphResults(graph), [graph]);
  // An agent or the API may have chosen nodes that are not known to have a result.
  const others = outputs.filter(({ node }) => !known.some(result => result.node === node));
  const results: readonly GraphResult[] = [...known, ...others].filter(
    ({ node }) => innerId === undefined || node === innerId,
  );
  if (results.length === 0) return innerId === undefined ? <p>{messages.noResults}</p> : null;
  const setOutputs = (label: string, next: readonly ComfyOutput[], key?: string): void =>
    setConfig(messages.edits.output(label), { outputs: next as unknown as Json }, key);
  return (
    <ul className={styles.rows} aria-label={messages.outputs}>
      {results.map(result => {
        const output = outputs.find(({ node }) => node === result.node);
        const inner = Object.hasOwn(graph, result.node) ? graph[result.node] : undefined;
        return (
          <ResultRow
            key={result.node}
            result={{ ...result, title: inner === undefined ? result.node : getApiTitle(inner) }}
            output={output}
            isFull={isFull(outputs)}
            onToggle={isOutput => setOutputs(result.label, withResult(config, result, isOutput))}
            onChange={change =>
              setOutputs(
                result.label,
                outputs.map(other => (other === output ? { ...other, ...change } : other)),
                `output ${output?.id}`,
              )
            }
          />
        );
      })}
    </ul>
  );
}
