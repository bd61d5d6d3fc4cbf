// Renders the elements that all settings pages use, such as sections and lists of details.

import type { ReactNode } from 'react';
import { formatDay, formatExact } from '../../lib/format.ts';
import styles from './section.module.css';

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className={styles.section}>
      <div className={styles.head}>
        <h2>{title}</h2>
        <div className={styles.actions}>{actions}</div>
      </div>
      {children}
    </section>
  );
}

/** Renders the introductory text of a settings page. */
export function Introduction({ children }: { readonly children: ReactNode }) {
  return <p className={styles.introduction}>{children}</p>;
}

export function SecondaryText({ children }: { readonly children: ReactNode }) {
  return <span className={styles.muted}>{children}</span>;
}

/** Limits a form to the width of its fields. */
export function Narrow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.narrow}>{children}</div>;
}

/** Truncates long text in a table, with the full text on hover. */
export function Truncated({ text }: { readonly text: string }) {
  return (
    <span className={styles.cell} title={text}>
      {text}
    </span>
  );
}

/** Shows long text in a table completely. */
export function Wrapped({ children }: { readonly children: ReactNode }) {
  return <span className={styles.wrapped}>{children}</span>;
}

export function Badges({ children }: { readonly children: ReactNode }) {
  return <span className={styles.badges}>{children}</span>;
}

/** Renders a group of checkboxes with one label. */
export function Choices({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}

export function DetailList({
  details,
}: {
  readonly details: readonly (readonly [name: string, detail: ReactNode])[];
}) {
  return (
    <dl className={styles.details}>
      {details.map(([name, detail]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{detail}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <Wrapped>
      <code>{scopes.join(', ')}</code>
    </Wrapped>
  );
}

export function Day({ time }: { readonly time: string }) {
  const timeMs = Date.parse(time);
  return (
    <time dateTime={time} title={formatExact(timeMs)}>
      {formatDay(timeMs)}
    </time>
  );
}
