//! A partition of the first n numbers that is only ever refined.

use std::ops::Range;

/// Blocks of elements. A block that is split keeps its number for its largest part.
#[derive(Debug)]
pub(super) struct Partition {
    /// The elements, block by block.
    elements: Vec<u32>,
    /// The position of each element among them.
    place: Vec<u32>,
    block_of: Vec<u32>,
    /// The range of each block.
    blocks: Vec<Range<usize>>,
}

impl Partition {
    /// The elements with equal labels together.
    pub fn by(labels: &[u32]) -> Partition {
        let n = labels.len();
        let all = (0..n as u32).collect::<Vec<u32>>();
        let blocks = std::iter::once(0..n).filter(|all| !all.is_empty()).collect();
        let mut partition = Partition { place: all.clone(), elements: all, block_of: vec![0; n], blocks };
        partition.split(labels.iter().zip(0..).map(|(&label, element)| (element, label)).collect(), |_| {});
        partition
    }

    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    pub fn block_of(&self, element: usize) -> usize {
        self.block_of[element] as usize
    }

    pub fn members(&self, block: usize) -> &[u32] {
        &self.elements[self.blocks[block].clone()]
    }

    /// Splits every block by the keys of its elements; elements that are not listed share one key of their own.
    /// `split` is told of each part of a block that was split, the largest first. Cost: that of sorting the list.
    pub fn split<K: Ord>(&mut self, mut keyed: Vec<(u32, K)>, mut split: impl FnMut(Part)) {
        let block_of = &self.block_of;
        keyed.sort_unstable_by(|(a, key_a), (b, key_b)| {
            let of = |element: &u32| block_of[*element as usize];
            of(a).cmp(&of(b)).then_with(|| key_a.cmp(key_b)).then_with(|| a.cmp(b))
        });
        let mut listed = keyed.as_slice();
        while let Some((element, _)) = listed.first() {
            let block = self.block_of(*element as usize);
            let n_own = listed.partition_point(|(element, _)| self.block_of(*element as usize) <= block);
            let (own, others) = listed.split_at(n_own);
            listed = others;
            self.split_block(block, own, &mut split);
        }
    }

    fn split_block<K: Ord>(&mut self, block: usize, listed: &[(u32, K)], split: &mut impl FnMut(Part)) {
        let Range { start, end } = self.blocks[block];
        let mut parts: Vec<Range<usize>> = Vec::new();
        for same in listed.chunk_by(|(_, a), (_, b)| a == b) {
            let begin = parts.last().map_or(start, |part| part.end);
            for (place, (element, _)) in (begin..).zip(same) {
                self.put(*element, place);
            }
            parts.push(begin..begin + same.len());
        }
        let rest = parts.last().expect("a list of a block is not empty").end..end;
        parts.extend((!rest.is_empty()).then_some(rest));
        if parts.len() == 1 {
            return;
        }
        let largest = (0..parts.len()).max_by_key(|&part| (parts[part].len(), usize::MAX - part)).expect("a part");
        self.blocks[block] = parts.swap_remove(largest);
        split(Part::Largest(block));
        for part in parts {
            let new = self.blocks.len();
            self.elements[part.clone()].iter().for_each(|&element| self.block_of[element as usize] = new as u32);
            self.blocks.push(part);
            split(Part::New(new));
        }
    }

    /// Swaps an element into a position.
    fn put(&mut self, element: u32, place: usize) {
        let (from, other) = (self.place[element as usize] as usize, self.elements[place]);
        self.elements.swap(from, place);
        self.place[element as usize] = place as u32;
        self.place[other as usize] = from as u32;
    }
}

/// A part of a block that was split, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// It keeps the number of the block.
    Largest(usize),
    New(usize),
}
