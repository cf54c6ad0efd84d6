//! What a network is made of, as it stands in a file.

/// A square convolution over neighbouring points.
#[derive(Debug, Clone, PartialEq)]
pub struct Conv {
    /// Points on a side: 1, 3 or 5.
    pub side: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// By row (from the top), column, input, output.
    pub weights: Vec<f32>,
}

/// A scale and a bias for each channel; what comes after it is cut off below zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Norm {
    pub scale: Vec<f32>,
    pub bias: Vec<f32>,
}

/// All inputs to all outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    pub inputs: usize,
    pub outputs: usize,
    /// By input, output.
    pub weights: Vec<f32>,
}

/// A step of the trunk: what it finds is added to what came before.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub before: Norm,
    pub first: Conv,
    pub pooling: Option<Pooling>,
    pub between: Norm,
    pub second: Conv,
}

/// What the whole board says to each point.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooling {
    pub conv: Conv,
    pub norm: Norm,
    pub to_bias: Dense,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PolicyHead {
    pub points: Conv,
    pub board: Conv,
    pub board_norm: Norm,
    pub board_to_points: Dense,
    pub norm: Norm,
    pub last: Conv,
    pub pass: Dense,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ValueHead {
    pub first: Conv,
    pub norm: Norm,
    pub hidden: Dense,
    pub hidden_bias: Vec<f32>,
    /// Win, loss, no result.
    pub value: Dense,
    pub value_bias: Vec<f32>,
    /// Mean score, its deviation, lead, and what this program has no use for.
    pub score: Dense,
    pub score_bias: Vec<f32>,
    pub ownership: Conv,
}

/// A network with its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub name: String,
    /// The version of the file format, which decides about inputs and outputs.
    pub version: u32,
    pub first: Conv,
    pub first_global: Dense,
    pub blocks: Vec<Block>,
    pub last: Norm,
    pub policy: PolicyHead,
    pub value: ValueHead,
}

impl Model {
    /// How many numbers it has learned.
    pub fn parameters(&mut self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// All that it has learned, in the order of a file.
    pub fn parts(&mut self) -> Vec<&mut Vec<f32>> {
        let mut parts = vec![&mut self.first.weights, &mut self.first_global.weights];
        for block in &mut self.blocks {
            parts.extend([&mut block.before.scale, &mut block.before.bias, &mut block.first.weights]);
            if let Some(Pooling { conv, norm, to_bias }) = &mut block.pooling {
                parts.extend([&mut conv.weights, &mut norm.scale, &mut norm.bias, &mut to_bias.weights]);
            }
            parts.extend([&mut block.between.scale, &mut block.between.bias, &mut block.second.weights]);
        }
        parts.extend([&mut self.last.scale, &mut self.last.bias]);
        let p = &mut self.policy;
        parts.extend([&mut p.points.weights, &mut p.board.weights, &mut p.board_norm.scale, &mut p.board_norm.bias]);
        parts.extend([&mut p.board_to_points.weights, &mut p.norm.scale, &mut p.norm.bias]);
        parts.extend([&mut p.last.weights, &mut p.pass.weights]);
        let v = &mut self.value;
        parts.extend([&mut v.first.weights, &mut v.norm.scale, &mut v.norm.bias]);
        parts.extend([&mut v.hidden.weights, &mut v.hidden_bias, &mut v.value.weights, &mut v.value_bias]);
        parts.extend([&mut v.score.weights, &mut v.score_bias, &mut v.ownership.weights]);
        parts
    }
}
