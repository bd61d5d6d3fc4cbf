// Lists the nodes that run models on the machine of the service, without a provider, and says how to get those that are missing.
import { useQuery } from '@tanstack/react-query';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { messages } from './messages.ts';
import styles from './providers.module.css';

export function LocalModels() {
  const query = useQuery(apiQuery(['/nodes'], { includeHidden: 1 }));
  return (
    <section className={styles.local} aria-labelledby="local-models">
      <h2 id="local-models">{messages.localModels}</h2>
      <QueryResult query={query}>
        {({ nodes }) => {
          const local = nodes.filter(({ runsLocally }) => runsLocally);
          const listLabels = (isAvailable: boolean): readonly string[] =>
            local.filter(node => (node.isAvailable !== false) === isAvailable).map(({ label }) => label);
          const [available, missing] = [listLabels(true), listLabels(false)];
          return (
            <>
              {available.length > 0 && (
                <p className={styles.description}>{messages.localModelsReady(available)}</p>
              )}
              {missing.length > 0 && (
                <p className={styles.description}>{messages.localModelsMissing(missing)}</p>
              )}
            </>
          );
        }}
      </QueryResult>
    </section>
  );
}
