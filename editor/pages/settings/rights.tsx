// What a key or a program may do, in a column that wraps.
import { Wrapped } from './section.tsx';

export function Rights({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <Wrapped>
      <code>{scopes.join(', ')}</code>
    </Wrapped>
  );
}
