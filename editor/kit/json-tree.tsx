// Renders JSON as a collapsible tree, which renders only the open parts of large values.

import { useState } from 'react';
import { shorten } from '../lib/cut-text.ts';
import { messages } from '../messages.ts';
import styles from './json-tree.module.css';

/** Branches up to this depth start open. */
const OPEN_DEPTH = 2;
const PAGE_SIZE = 100;
const MAX_CHARS = 2000;

interface JsonTreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}

export function JsonTree({ value, name, depth = 0 }: JsonTreeProps) {
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />;
  return <Branch name={name} value={value} depth={depth} />;
}

function Leaf({ name, value }: { readonly name: string | undefined; readonly value: unknown }) {
  const text = JSON.stringify(value) ?? 'undefined';
  return (
    <div className={styles.leaf}>
      {name !== undefined && <span className={styles.name}>{name}: </span>}
      <span className={styles[value === null ? 'null' : typeof value]}>{shorten(text, MAX_CHARS)}</span>
    </div>
  );
}

interface BranchProps {
  readonly name: string | undefined;
  readonly value: object;
  readonly depth: number;
}

function Branch({ name, value, depth }: BranchProps) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [limit, setLimit] = useState(PAGE_SIZE);
  const members = Object.entries(value);
  const isList = Array.isArray(value);
  return (
    <details className={styles.branch} open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span className={styles.name}>{name} </span>}
        <span className={styles.count}>{isList ? `[${members.length}]` : `{${members.length}}`}</span>
      </summary>
      {/* Closed branches render nothing. */}
      {isOpen &&
        members
          .slice(0, limit)
          .map(([key, member]) => <JsonTree key={key} name={key} value={member} depth={depth + 1} />)}
      {isOpen && members.length > limit && (
        <button type="button" className={styles.more} onClick={() => setLimit(limit + PAGE_SIZE)}>
          {messages.common.showMore(members.length - limit)}
        </button>
      )}
    </details>
  );
}
