// Signs in and agrees on the pages of a provider for development, as a person does in a browser, and prints the code
// that the provider gives:
//
//   node packages/dev-servers/bin/consent.mjs AUTHORIZATION_URL EMAIL
import { walkConsent } from '../dist/provider/index.js';

const [authorizationUrl = '', email = ''] = process.argv.slice(2);
const back = await walkConsent(authorizationUrl, { email, password: 'any', allow: true });
console.log(back.searchParams.get('code'));
