// Saves or restores ./breadcrumb-state with GitHub's own client:
//   node cache.mjs save KEY
//   node cache.mjs restore PREFIX   prints the key that was found
import * as cache from '@actions/cache';

const [verb, key] = process.argv.slice(2);
const paths = ['breadcrumb-state'];
if (verb === 'save') {
  if ((await cache.saveCache(paths, key)) < 0) throw new Error('not saved');
} else {
  console.log('found=' + (await cache.restoreCache(paths, 'none', [key])));
}
