// The search of the documentation, in a dialog. Loaded when somebody searches for the first time; the build puts the
// library in the place of its import.
import MiniSearch from 'minisearch';

const HITS_MAX = 12;
const EXCERPT_BEFORE = 60;
const EXCERPT_MAX = 180;

/** Words that say nothing of what is looked for. */
const STOP_WORDS = new Set(
  'a an and are can do for how i in is it my of on or the to what with'.split(' '),
);

/** Words, and names as they are written: draft.created, WEBHOOK_LIMIT, /api/events. */
const namesOf = (text) =>
  (text.match(/[\p{L}\p{N}_./]+/gu) ?? []).map((name) => name.replaceAll(/^[._/]+|[._/]+$/g, ''));

const partsOf = (text) => namesOf(text).flatMap((name) => name.split(/[._/]+/));

const namesAndParts = (text) => [...new Set([...namesOf(text), ...partsOf(text)])];

/** Pages, and how much their words count. */
const RANKS = [
  [/^\/docs\/(?:connect|receive|publish|embed|run|recover|operate|http-api)?(?:#|$)/, 2],
  [/^\/docs\/(?:api(?:#|$)|errors|runbooks|changelog|glossary)/, 0.4],
  [/^\/docs\/(?:configuration|metrics)/, 0.7],
  [/^\/docs\/api/, 0.6],
  [/^/, 1],
];

/**
 * Resolves to a function that finds `texts`, each [address, page, title, text, synonyms], by the words that somebody types: all of
 * them, or where no text has all of them, some.
 */
export async function finder(texts) {
  const index = new MiniSearch({
    fields: ['title', 'page', 'synonyms', 'text'],
    tokenize: namesAndParts,
    processTerm: (term) => !STOP_WORDS.has(term.toLowerCase()) && term.toLowerCase(),
  });
  // In pieces, between which the field takes keys: a phone needs a second for all.
  await index.addAllAsync(
    texts.map(([, page, title, text, synonyms], id) => ({ id, page, title, synonyms, text })),
  );
  const options = {
    boost: { title: 6, synonyms: 8, page: 2 },

    prefix: true,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
  };
  const attempts = [
    { ...options, tokenize: namesOf, combineWith: 'AND' },
    { ...options, tokenize: partsOf, combineWith: 'AND' },
    { ...options, tokenize: partsOf },
  ];
  // The guides explain, the reference names most words, and settings, codes and paths are looked up by their names.
  const rankIn = (query) => (id) =>
    query.includes('/') && texts[id][0].startsWith('/docs/api/')
      ? 4
      : RANKS.find(([pages]) => pages.test(texts[id][0]))[1];
  return (query) => {
    for (const attempt of attempts) {
      const hits = index
        .search(query, { ...attempt, boostDocument: rankIn(query) })
        .slice(0, HITS_MAX);
      if (hits.length > 0) return hits.map(({ id, terms }) => ({ text: texts[id], terms }));
    }
    return [];
  };
}

let opened;

/** Opens the dialog. `textsUrl` is where the texts are. */
export function open(textsUrl) {
  opened ??= dialog(textsUrl);
  opened.showModal();
  opened.querySelector('input').select();
}

function dialog(textsUrl) {
  const field = element('input', {
    type: 'search',
    ariaLabel: 'Search the documentation',
    placeholder: 'Words, a setting, a problem code, a path',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false,
  });
  const close = element('button', { type: 'button', className: 'bar-button' }, 'Close');
  const state = element('p', { className: 'quiet', role: 'status' });
  const list = element('ul', { className: 'hits' });
  const head = element('div', { className: 'search-head' }, field, close);
  const made = element('dialog', { className: 'search', ariaLabel: 'Search' }, head, state, list);

  let find;
  const show = () => {
    const query = field.value.trim();
    const hits = find && query ? find(query) : [];
    list.replaceChildren(...hits.map(hit));
    state.textContent = stateOf(query, hits.length, find !== undefined);
  };
  fetch(textsUrl)
    .then(async (answer) => {
      find = await finder(await answer.json());
      show();
    })
    .catch(() => {
      state.textContent = 'The search could not be loaded. Close it and try again.';
      opened = undefined;
    });

  field.addEventListener('input', show);
  close.addEventListener('click', () => made.close());
  made.addEventListener('keydown', (event) => move(event, field, [...list.querySelectorAll('a')]));
  made.addEventListener('click', ({ target }) => {
    // The dialog itself is the target where its backdrop is clicked; a link may lead to the page that is open.
    if (target === made || target.closest('a')) made.close();
  });
  document.body.append(made);
  return made;
}

function stateOf(query, count, isLoaded) {
  if (!isLoaded) return 'Loading …';
  if (query === '') return 'Arrows choose, Enter opens, Escape closes.';
  if (count === 0) return 'Nothing found.';
  return count === HITS_MAX ? `The best ${count} hits` : `${count} ${count === 1 ? 'hit' : 'hits'}`;
}

/** Moves the focus through the field and the links below it; Enter in the field opens the first link. */
function move(event, field, links) {
  const place = links.indexOf(document.activeElement);
  if (event.key === 'Enter' && document.activeElement === field) links[0]?.click();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  (links[Math.min(place + step, links.length - 1)] ?? field).focus();
}

function hit({ text: [address, page, title, text], terms }) {
  const link = element(
    'a',
    { href: address },
    element('b', {}, title),
    ' ',
    element('span', { className: 'quiet' }, title === page ? '' : page),
    element('span', { className: 'excerpt' }, ...marked(excerptOf(text, terms), terms)),
  );
  return element('li', {}, link);
}

function excerptOf(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  if (places.length === 0 || start === 0) return text.slice(0, EXCERPT_MAX);
  return `… ${text.slice(start, start + EXCERPT_MAX)}`;
}

/** The text in pieces, with the terms in it marked. */
function marked(text, terms) {
  if (terms.length === 0) return [text];
  const escaped = terms.map((term) => term.replaceAll(/[.]/g, String.raw`\.`));
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'giu'))
    .map((piece, place) => (place % 2 === 1 ? element('mark', {}, piece) : piece));
}

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
