// Renders the providers that the board's nodes lack, with links to the page where this user can add a key.

import Key from 'icon:key-round';
import { messages } from '../../../flow-messages.ts';
import { ButtonLink } from '../../../kit/button.tsx';
import { useProviderKeysHref } from '../../../lib/session.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import styles from './banner.module.css';

const noticeMessages = messages.flow.providerNotice;
const MAX_NAMES = 3;

export function ProviderNotice() {
  const { session } = useEditor();
  const hasSamples = useRun(({ samples }) => samples !== undefined);
  const nodes = useBoard(({ board }) => board.nodes);
  const nodesByProvider = Map.groupBy(nodes, node => session.catalog.find(node.data.nodeType)?.provider);
  nodesByProvider.delete(undefined);
  // The sample notice explains boards that show sample results.
  if (nodesByProvider.size === 0 || hasSamples) return null;
  return (
    <section className={styles.notice} aria-label={noticeMessages.title}>
      {[...nodesByProvider].map(([provider = '', providerNodes]) => (
        <ProviderRow
          key={provider}
          provider={provider}
          labels={providerNodes.map(({ data }) => data.label)}
        />
      ))}
    </section>
  );
}

function ProviderRow({
  provider,
  labels,
}: {
  readonly provider: string;
  readonly labels: readonly string[];
}) {
  const href = useProviderKeysHref(provider);
  const label = messages.provider(provider);
  const otherCount = labels.length - MAX_NAMES;
  const names = [
    labels.slice(0, MAX_NAMES).join(', '),
    ...(otherCount > 0 ? [noticeMessages.others(otherCount)] : []),
  ].join(' ');
  return (
    <div className={styles.row}>
      <p>
        {noticeMessages.text(names, labels.length, label)} {href === undefined && noticeMessages.ask}
      </p>
      {href !== undefined && (
        <span className={styles.end}>
          <ButtonLink size="s" icon={Key} href={href}>
            {noticeMessages.addKey(label)}
          </ButtonLink>
        </span>
      )}
    </div>
  );
}
