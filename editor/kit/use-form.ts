// Keeps the values of a form with several fields, and connects its fields to them.
import { useState } from 'react';

type KeysOf<T, Value> = { [K in keyof T]: T[K] extends Value ? K : never }[keyof T];

export interface FormValues<T> {
  readonly values: T;
  update(fields: Partial<T>): void;
  /** Returns the props that connect a text field, text area or list of options. */
  field(key: KeysOf<T, string>): {
    readonly value: string;
    readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  };
  /** Returns the props that connect a checkbox. */
  check(key: KeysOf<T, boolean>): {
    readonly checked: boolean;
    readonly onChange: (event: { readonly target: { readonly checked: boolean } }) => void;
  };
}

export function useForm<T extends object>(initial: T | (() => T)): FormValues<T> {
  const [values, setValues] = useState(initial);
  const update = (fields: Partial<T>): void => setValues(before => ({ ...before, ...fields }));
  return {
    values,
    update,
    field: key => ({
      value: values[key] as string,
      onChange: ({ target }) => update({ [key]: target.value } as Partial<T>),
    }),
    check: key => ({
      checked: values[key] as boolean,
      onChange: ({ target }) => update({ [key]: target.checked } as Partial<T>),
    }),
  };
}
