// Plugin of Stryker for mutation.mjs: leaves sentences as they are. Texts for people are read, not tested word by word.
const SENTENCE = /[a-z,;:] [a-z]/i;

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: {
      shouldIgnore({ node }) {
        return textsOf(node).some((text) => SENTENCE.test(text)) ? 'a sentence' : undefined;
      },
    },
  },
];

function textsOf({ type, value, quasis }) {
  if (type === 'StringLiteral') return [value];
  return type === 'TemplateLiteral' ? quasis.map((quasi) => quasi.value.raw) : [];
}
