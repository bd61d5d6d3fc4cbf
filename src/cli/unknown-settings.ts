// Finds misspelled settings among the environment variables, most of which belong to other programs.
import { createComparisonBudget, findNearestName, indexNames } from '../graph/nearest.ts';
import { listOtherVariables, listSettings } from '../lib/settings.ts';

const PREFIX = 'GRAPHWRIGHT_';
/** Variables that Kubernetes sets for a service whose name begins with `graphwright`. */
const SET_BY_KUBERNETES = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT(?:_\d|$)/;
/** The end of a name such as OPENAI_API_KEY_2, with which other programs add a second value to a setting. */
const NUMBERED = /_?\d+$/;
/** Shorter names, such as PORT, are too close to ordinary variables. */
const MIN_LENGTH = 7;
const MIN_LENGTH_FOR_TWO_EDITS = 12;

/** Returns a sentence for each variable that has our prefix or is almost the name of a setting. */
export function describeUnknownSettings(
  variables: readonly string[] = listOtherVariables(),
): readonly string[] {
  const names = listSettings().map(({ name }) => name);
  const known = new Set(names);
  const index = indexNames(names.filter(name => name.length >= MIN_LENGTH));
  const budget = createComparisonBudget();
  const findSetting = (name: string): string | undefined => {
    if (name.length < MIN_LENGTH) return undefined;
    return findNearestName(name, index, budget, name.length < MIN_LENGTH_FOR_TWO_EDITS ? 1 : 2);
  };
  return variables
    .filter(name => /^[A-Z][A-Z\d_]*$/.test(name) && !known.has(name.replace(NUMBERED, '')))
    .flatMap(name => {
      const isOurs = name.startsWith(PREFIX) && !SET_BY_KUBERNETES.test(name);
      const rest = isOurs ? name.slice(PREFIX.length) : name;
      const setting = known.has(rest) ? rest : (findSetting(name) ?? findSetting(rest));
      if (setting === undefined && !isOurs) return [];
      const hint =
        setting === undefined ? 'graphwright --help lists the settings.' : `Did you mean ${setting}?`;
      return [`Unknown setting ${name}. ${hint}`];
    });
}
