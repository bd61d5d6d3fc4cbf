// Renders tabs; arrow keys move between them.
import * as Radix from 'radix-ui/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

interface TabsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly tabs: Readonly<Record<T, string>>;
  /** Content of the open tab. */
  readonly children: ReactNode;
}

export function Tabs<T extends string>({ label, value, onChange, tabs, children }: TabsProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={next => onChange(next as T)} activationMode="manual">
      <Radix.List className={styles.list} aria-label={label}>
        {Object.entries<string>(tabs).map(([key, text]) => (
          <Radix.Trigger key={key} value={key} className={styles.tab}>
            {text}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} className={styles.panel}>
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
