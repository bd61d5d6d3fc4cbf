// What the parts of the settings are made of: a section under a heading, facts, and words under the title.
import type { ReactNode } from 'react';
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

/** What the part is for. */
export function Lead({ children }: { readonly children: ReactNode }) {
  return <p className={styles.lead}>{children}</p>;
}

export function Soft({ children }: { readonly children: ReactNode }) {
  return <span className={styles.soft}>{children}</span>;
}

/** A form is no wider than its fields need. */
export function Narrow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.narrow}>{children}</div>;
}

/** A text in a table that may be long: cut, with all of it on hover. */
export function Cut({ text }: { readonly text: string }) {
  return (
    <span className={styles.cell} title={text}>
      {text}
    </span>
  );
}

/** A text in a table that is read completely. */
export function Wrapped({ children }: { readonly children: ReactNode }) {
  return <span className={styles.wrapped}>{children}</span>;
}

export function Badges({ children }: { readonly children: ReactNode }) {
  return <span className={styles.badges}>{children}</span>;
}

/** Several boxes to tick under one name. */
export function Choices({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}

export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, fact: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
