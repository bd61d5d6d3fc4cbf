// Renders templates in sections, in the order of the list.
import type { Template } from '../../../sdk/src/schemas.ts';
import cards from '../../kit/cards.module.css';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { byReadiness } from './readiness.ts';
import { TemplateCard } from './template-card.tsx';

export function TemplateSections({ templates }: { readonly templates: readonly Template[] }) {
  const sections = Map.groupBy(templates, ({ shelf }) => shelf ?? 'published');
  return [...sections].map(([shelf, members]) => (
    <section key={shelf} aria-labelledby={`shelf-${shelf}`}>
      <h2 id={`shelf-${shelf}`} className={styles.sectionTitle}>
        {messages.sections[shelf]}
      </h2>
      <ul className={cards.grid}>
        {members.toSorted(byReadiness).map(template => (
          <TemplateCard key={template.id} template={template} />
        ))}
      </ul>
    </section>
  ));
}
