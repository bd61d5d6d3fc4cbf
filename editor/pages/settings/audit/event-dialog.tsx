// Renders the details of an entry of the audit log.
import type { AuditEvent } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Table } from '../../../kit/table.tsx';
import { formatExact } from '../../../lib/format.ts';
import { DetailList, Wrapped } from '../section.tsx';
import { messages } from './messages.ts';

interface EventDialogProps {
  readonly event: AuditEvent;
  /** Filters the list. */
  readonly onShowOnly: (filters: { readonly actor?: string; readonly target?: string }) => void;
  readonly onClose: () => void;
}

export function EventDialog({ event, onShowOnly, onClose }: EventDialogProps) {
  const { actor, target } = event;
  return (
    <Dialog
      title={event.summary}
      size="l"
      onClose={onClose}
      actions={
        <>
          {target !== null && <Button onClick={() => onShowOnly({ target })}>{messages.showTarget}</Button>}
          {actor.userId !== null && (
            <Button onClick={() => onShowOnly({ actor: String(actor.userId) })}>
              {messages.showPerson(actor.name)}
            </Button>
          )}
        </>
      }
    >
      <Changes event={event} />
      <DetailList details={listDetails(event)} />
    </Dialog>
  );
}

type Detail = readonly [name: string, detail: React.ReactNode];

function listDetails(event: AuditEvent): readonly Detail[] {
  const { actor, address, requestId, target, targetName, teamId } = event;
  const toDetail = (name: string, text: string | number | null): readonly Detail[] =>
    text === null
      ? []
      : [
          [
            name,
            <Wrapped key={name}>
              <code>{text}</code>
            </Wrapped>,
          ],
        ];
  return [
    [messages.time, formatExact(Date.parse(event.at))],
    [messages.actor, `${actor.name} (${messages.vias[actor.via]})`],
    ...toDetail(messages.userId, actor.userId),
    ...toDetail(messages.keyId, actor.keyId),
    ...toDetail(messages.action, event.action),
    ...toDetail(messages.target, target === null ? null : `${target}${targetName ? ` · ${targetName}` : ''}`),
    ...toDetail(messages.team, teamId),
    ...toDetail(messages.address, address),
    ...toDetail(messages.requestId, requestId),
    ...toDetail(messages.id, event.id),
  ];
}

function Changes({ event: { before, after } }: { readonly event: AuditEvent }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return null;
  const show = (value: unknown): string =>
    value === undefined || value === null
      ? messages.none
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return (
    <Table
      label={messages.changes}
      columns={[
        { title: messages.field, cell: field => <code>{field}</code> },
        { title: messages.before, cell: field => <Wrapped>{show(before?.[field])}</Wrapped> },
        { title: messages.after, cell: field => <Wrapped>{show(after?.[field])}</Wrapped> },
      ]}
      rows={fields}
      getKey={field => field}
    />
  );
}
