// Renders the permissions of a key or an app in a wrapping column.
import { Wrapped } from './section.tsx';

export function Rights({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <Wrapped>
      <code>{scopes.join(', ')}</code>
    </Wrapped>
  );
}
