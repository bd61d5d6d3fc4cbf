// Renders a day with the exact time on hover.
import { formatDay, formatExact } from '../../lib/format.ts';

export function Day({ time }: { readonly time: string }) {
  const at = Date.parse(time);
  return (
    <time dateTime={time} title={formatExact(at)}>
      {formatDay(at)}
    </time>
  );
}
