// Renders the providers that the board's nodes lack, with links to the page where this user can add a key.

import Key from 'icon:key-round';
import { messages } from '../../../flow-messages.ts';
import { Banner, BannerLine } from '../../../kit/banner.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { useProviderKeysHref } from '../../../lib/session.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';

const bannerMessages = messages.flow.missingKeys;
const MAX_NAMES = 3;

export function ProviderBanner() {
  const { session } = useEditor();
  const hasSamples = useRun(({ samples }) => samples !== undefined);
  const nodes = useBoard(({ board }) => board.nodes);
  const nodesByProvider = Map.groupBy(nodes, node => session.catalog.find(node.data.nodeType)?.provider);
  nodesByProvider.delete(undefined);
  // The sample banner explains boards that show sample results.
  if (nodesByProvider.size === 0 || hasSamples) return null;
  return (
    <Banner
      label={bannerMessages.title}
      details={[...nodesByProvider].map(([provider = '', providerNodes]) => (
        <ProviderLine
          key={provider}
          provider={provider}
          labels={providerNodes.map(({ data }) => data.label)}
        />
      ))}
    />
  );
}

function ProviderLine({
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
    ...(otherCount > 0 ? [bannerMessages.others(otherCount)] : []),
  ].join(' ');
  return (
    <BannerLine
      actions={
        href !== undefined && (
          <ButtonLink size="s" icon={Key} href={href}>
            {bannerMessages.addKey(label)}
          </ButtonLink>
        )
      }
    >
      <p>
        {bannerMessages.text(names, labels.length, label)} {href === undefined && bannerMessages.ask}
      </p>
    </BannerLine>
  );
}
